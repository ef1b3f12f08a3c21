import { type TSchema, Type } from 'typebox'
import { invalidField } from '../../platform/errors.ts'
import type { NodeRow } from '../tables.ts'

export const PortNumber = Type.Integer({ minimum: 0, maximum: 100_000 })
export const PortName = Type.String({ minLength: 1, maxLength: 100 })

const mostPorts = 512

export function PortsMapping<T extends TSchema>(port: T) {
  return Type.Array(port, { maxItems: mostPorts })
}

export interface MappedPort {
  readonly name: string
  readonly port_number: number
}

/** Ports as a node has them that nobody configured. */
export function namedPorts(count: number): MappedPort[] {
  return Array.from({ length: count }, (_, number) => ({ name: `Ethernet${number}`, port_number: number }))
}

/** @throws AppError `invalid` when two ports have the same number or name */
export function refuseTwins(ports: readonly MappedPort[]): void {
  for (const key of ['port_number', 'name'] as const) {
    const seen = new Set<unknown>()
    for (const [index, port] of ports.entries()) {
      if (seen.has(port[key]))
        throw invalidField(`properties.ports_mapping[${index}].${key}`, 'is that of another port')
      seen.add(port[key])
    }
  }
}

export function mappedPorts({ properties }: Pick<NodeRow, 'properties'>): readonly MappedPort[] {
  return (properties['ports_mapping'] ?? []) as readonly MappedPort[]
}
