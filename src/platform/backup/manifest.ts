import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '../errors.ts'

/**
 * The parts of a backup, in this order and nothing else (a plain tar file, without compression):
 *
 *   manifest.json                 what follows
 *   tables/<table>/000001.copy    the rows as text of COPY (PostgreSQL manual, "COPY"), in parts that are one stream
 *   sequences.json                the next value of each sequence
 *   blobs/<sha256>                the bytes of each artifact, ordered by name
 */
export const entryNames = {
  manifest: 'manifest.json',
  sequences: 'sequences.json',
  tablePart: (table: string, part: number) => `tables/${table}/${String(part).padStart(6, '0')}.copy`,
  blob: (sha256: string) => `blobs/${sha256}`,
} as const

const formatName = 'backhaul-backup'
const formatVersion = 1

const Count = Type.Integer({ minimum: 0 })
const Identifier = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
const Digits = Type.String({ pattern: '^-?[0-9]{1,19}$' })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

export type BackedUpMigration = Static<typeof BackedUpMigration>
export const BackedUpMigration = Type.Object({
  set: Type.String(),
  number: Count,
  name: Type.String(),
  digest: Sha256,
})

export type BackedUpTable = Static<typeof BackedUpTable>
export const BackedUpTable = Type.Object({ name: Identifier, columns: Type.Array(Identifier), rows: Count })

export type Manifest = Static<typeof Manifest>
export const Manifest = Type.Object({
  format: Type.Literal(formatName),
  version: Type.Literal(formatVersion),
  createdAt: Type.String(),
  /** In the order in which they were applied. */
  migrations: Type.Array(BackedUpMigration),
  tables: Type.Array(BackedUpTable),
  blobs: Type.Object({ count: Count, bytes: Count }),
})

export type Sequences = Static<typeof Sequences>
export const Sequences = Type.Array(Type.Object({ name: Identifier, next: Digits }))

const manifestCheck = Compile(Manifest)
const headCheck = Compile(Type.Object({ format: Type.Literal(formatName), version: Type.Number() }))
const sequencesCheck = Compile(Sequences)

export function createManifest(content: Omit<Manifest, 'format' | 'version'>): Manifest {
  return { format: formatName, version: formatVersion, ...content }
}

/** @throws AppError `invalid` for what is no manifest of a version that is known here */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text, entryNames.manifest)
  if (!headCheck.Check(value)) throw new AppError('invalid', 'Cannot restore: this is not a backup of Backhaul')
  if (value.version !== formatVersion) {
    throw new AppError('invalid', `Cannot restore: the backup has format ${value.version}, ${formatVersion} is known`)
  }
  if (!manifestCheck.Check(value)) throw new AppError('invalid', 'Cannot restore: the manifest is damaged')
  return value
}

export function parseSequences(text: string): Sequences {
  const value = parseJson(text, entryNames.sequences)
  if (!sequencesCheck.Check(value)) throw new AppError('invalid', `Cannot restore: ${entryNames.sequences} is damaged`)
  return value
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `Cannot restore: ${name} is not JSON`, { cause: error })
  }
}
