import { createHash } from 'node:crypto'
import type { Checksum } from '../metadata/field-checks.ts'

export function verifiedBy({ type, value }: Checksum, bytes: Uint8Array): boolean {
  return createHash(type).update(bytes).digest('hex') === value
}
