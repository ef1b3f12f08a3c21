import { createHash } from 'node:crypto'
import type { NewUnit } from '../../../content-type.ts'
import type { Advisory } from '../metadata/read-updateinfo.ts'

/** An advisory as a unit: one that was changed is another unit with the same id. */
export interface AdvisoryUnit extends NewUnit {
  readonly kind: 'erratum'
  readonly advisory: Advisory
}

export function isAdvisory(unit: NewUnit): unit is AdvisoryUnit {
  return unit.kind === 'erratum'
}

export function toAdvisoryUnit(advisory: Advisory): AdvisoryUnit & { readonly files: readonly [] } {
  const { id, source } = advisory
  const digest = createHash('sha256').update(source).digest('hex')
  return { kind: 'erratum', naturalKey: `${id} ${digest}`, name: id, files: [], advisory }
}
