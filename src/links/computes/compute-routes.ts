import { hostname } from 'node:os'
import { type TSchema, Type } from 'typebox'
import { AppError } from '../../platform/errors.ts'
import { endpoint, type Route, route } from '../../platform/http/endpoint.ts'
import type { MachineUsage } from '../../platform/machine-usage.ts'
import { compatibleVersion } from '../compatible-version.ts'
import type { ConsolePorts } from '../nodes/console-ports.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { freeUdpPortRange } from './free-udp-port-range.ts'
import { machineStatistics } from './machine-statistics.ts'

/** GNS3's name for a machine that runs nodes: here it is always this one. */
const ownId = 'local'

const tag = 'Computes'
const Compute = Type.Object({ compute_id: Type.String(), name: Type.String(), connected: Type.Boolean() })
const Params = Type.Object({ compute_id: Type.String() })
const one = { tag, params: Params } as const

function get(path: string, summary: string, reply?: TSchema) {
  return { method: 'GET', path, status: 200, summary, tag, ...(reply === undefined ? {} : { reply }) } as const
}

const endpoints = {
  list: endpoint(get('/v2/computes', 'List the machines that run nodes: this one', Type.Array(Compute))),
  show: endpoint({ ...get('/v2/computes/{compute_id}', 'Show a machine that runs nodes', Compute), params: Params }),
  ports: endpoint({ ...get('/v2/computes/{compute_id}/ports', 'List the ports that consoles have'), params: Params }),
  images: endpoint({
    ...get('/v2/computes/{compute_id}/{emulator}/images', 'List the images of an emulator: there are none'),
    params: Type.Object({ compute_id: Type.String(), emulator: Type.String() }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/v2/computes',
    status: 201,
    summary: 'Refused: this is the only one',
    tag,
  }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: '/v2/computes/{compute_id}',
    status: 200,
    summary: 'Refused: this is the only one',
  }),
  delete: endpoint({
    ...one,
    method: 'DELETE',
    path: '/v2/computes/{compute_id}',
    status: 204,
    summary: 'Refused: this is the only one',
  }),
  statistics: endpoint(get('/v2/statistics', 'Show how busy this machine is')),
  virtualMachine: endpoint(get('/v2/gns3vm', 'Show the virtual machine of GNS3: there is none')),
  engines: endpoint(get('/v2/gns3vm/engines', 'List the engines of that virtual machine: there are none')),
  appliances: endpoint(get('/v2/appliances', 'List appliances: there are none')),
  license: endpoint(get('/v2/iou_license', 'Show the licence of IOU: there is none')),
}

export interface ComputeRoutesParts {
  readonly usage: MachineUsage
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly folder: string
  /** Where this server is reached; empty until it is. */
  readonly apiUrl: () => string
  readonly consolePorts: ConsolePorts
}

/** This machine, as clients of GNS3 ask for it. */
export function computeRoutes(parts: ComputeRoutesParts): Route[] {
  return [...ownRoutes(parts), ...refusals(), ...absentRoutes()]
}

function ownRoutes(parts: ComputeRoutesParts): Route[] {
  const { usage, folder, consolePorts } = parts
  const present = () => presentCompute(parts)
  return [
    route(endpoints.list, () => [present()]),
    route(endpoints.show, ({ params }) => {
      refuseOthers(params.compute_id)
      return present()
    }),
    route(endpoints.ports, async ({ params }) => {
      refuseOthers(params.compute_id)
      const { first, last } = consolePorts.range
      const console_ports = [...(await consolePorts.list())].toSorted((a, b) => a - b)
      return { console_ports, console_port_range: [first, last], udp_ports: [], udp_port_range: freeUdpPortRange() }
    }),
    route(endpoints.images, ({ params }) => {
      refuseOthers(params.compute_id)
      return []
    }),
    route(endpoints.statistics, async () => [
      { compute_id: ownId, compute_name: hostname(), statistics: await machineStatistics(usage, folder) },
    ]),
  ]
}

function refuseOthers(id: string): void {
  if (id !== ownId) throw new AppError('not_found', `Compute ID ${id} doesn't exist`)
}

function refusals(): Route[] {
  const refuse = () => {
    throw new AppError('forbidden', 'Cannot change computes: this server is its only compute')
  }
  const refuseOwn = ({ params }: { params: { compute_id: string } }) => {
    refuseOthers(params.compute_id)
    refuse()
  }
  return [route(endpoints.create, refuse), route(endpoints.update, refuseOwn), route(endpoints.delete, refuseOwn)]
}

/** With all keys that the settings pages of clients read. */
const noMachine = {
  enable: false,
  engine: 'remote',
  vmname: '',
  when_exit: 'keep',
  headless: false,
  allocate_vcpus_ram: false,
  vcpus: 1,
  ram: 2048,
  port: 3080,
}

/** What GNS3 has and this server has not, in the words for "none". */
function absentRoutes(): Route[] {
  return [
    route(endpoints.virtualMachine, () => noMachine),
    route(endpoints.engines, () => []),
    route(endpoints.appliances, () => []),
    route(endpoints.license, () => ({ iourc_content: '', license_check: false })),
  ]
}

function presentCompute({ usage, kinds, apiUrl }: ComputeRoutesParts): object {
  const { hostname: host, port, protocol } = new URL(apiUrl() || 'http://127.0.0.1:3080')
  const { cpuPercent, memoryPercent } = usage.read()
  return {
    compute_id: ownId,
    name: hostname(),
    // an IPv6 address is in brackets in a URL only, and the port of the protocol is left out there
    host: host.replaceAll(/[[\]]/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    protocol: protocol.slice(0, -1),
    user: null,
    connected: true,
    cpu_usage_percent: cpuPercent,
    memory_usage_percent: memoryPercent,
    last_error: null,
    capabilities: { version: compatibleVersion, platform: process.platform, node_types: [...kinds.keys()] },
  }
}
