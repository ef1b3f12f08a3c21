import type { NewUnit } from '../../../content-type.ts'
import type { Checksum } from '../metadata/field-checks.ts'

/** A metadata file that is kept as it is: nobody here knows what is in it, or needs to. */
export interface MetadataFileUnit extends NewUnit {
  readonly kind: 'yum_repo_metadata_file'
  /** Of its record in repomd.xml. */
  readonly type: string
  readonly filename: string
  readonly open: { readonly sha256: string; readonly sizeBytes: number } | undefined
}

export function isMetadataFile(unit: NewUnit): unit is MetadataFileUnit {
  return unit.kind === 'yum_repo_metadata_file'
}

export interface DescribedRecord {
  readonly type: string
  readonly href: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly openChecksum: Checksum | undefined
  readonly openSizeBytes: number | undefined
}

/** The unit that a record of repomd.xml is, as soon as its bytes are known. */
export function toMetadataFile({ type, href, sha256, sizeBytes, ...described }: DescribedRecord): MetadataFileUnit {
  const filename = (href.split('/').at(-1) as string).replace(/^[0-9a-f]{32,128}-/, '')
  const { openChecksum, openSizeBytes } = described
  const isKnown = openChecksum?.type === 'sha256' && openSizeBytes !== undefined
  return {
    kind: 'yum_repo_metadata_file',
    naturalKey: `${type} ${filename} ${sha256}`,
    name: filename,
    files: [{ path: `repodata/${sha256}-${filename}`, sha256, sizeBytes }],
    type,
    filename,
    open: isKnown ? { sha256: openChecksum.value, sizeBytes: openSizeBytes } : undefined,
  }
}
