import { createHash } from 'node:crypto'
import type { NewUnit } from '../../../content-type.ts'
import type { ModuleDocument, ModuleStream } from '../metadata/read-modules.ts'

/** A document about modules as a unit: one that was changed is another unit. */
export interface ModuleUnit extends NewUnit {
  readonly kind: 'modulemd' | 'modulemd_document'
  readonly document: ModuleDocument
}

export function isModuleUnit(unit: NewUnit): unit is ModuleUnit {
  return unit.kind === 'modulemd' || unit.kind === 'modulemd_document'
}

/** The packages of a stream, as `name-epoch:version-release.arch`. */
export function artifactsOf({ document }: ModuleUnit): readonly string[] {
  return document.kind === 'stream' ? document.artifacts : []
}

export function toModuleUnit(document: ModuleDocument) {
  const digest = createHash('sha256').update(document.source).digest('hex')
  const isStream = document.kind === 'stream'
  return {
    kind: isStream ? 'modulemd' : 'modulemd_document',
    naturalKey: digest,
    name: isStream ? nsvca(document) : document.kind,
    files: [],
    document,
  } as const satisfies ModuleUnit
}

/** What a stream is called: `name:stream:version:context:arch`. */
function nsvca({ name, stream, version, context, arch }: ModuleStream): string {
  return [name, stream, version, context, arch].join(':')
}
