import type { DependencyKind } from '../packages/package-details.ts'

/** Tags of the main header. */
export const mainTags = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  vendor: 1011,
  license: 1014,
  packager: 1015,
  group: 1016,
  url: 1020,
  arch: 1022,
  oldFileNames: 1027,
  fileModes: 1030,
  fileFlags: 1037,
  sourceRpm: 1044,
  archiveSize: 1046,
  noSource: 1051,
  noPatch: 1052,
  changelogTime: 1080,
  changelogName: 1081,
  changelogText: 1082,
  sourcePackage: 1106,
  dirIndexes: 1116,
  baseNames: 1117,
  dirNames: 1118,
  longSize: 5009,
  payloadDigest: 5092,
  payloadDigestAlgorithm: 5093,
  modularityLabel: 5096,
} as const

/** Tags of the signature header, where some numbers mean something else. */
export const signatureTags = {
  dsaOfHeader: 267,
  rsaOfHeader: 268,
  sha1OfHeader: 269,
  longArchiveSize: 271,
  sha256OfHeader: 273,
  openPgpOfHeader: 278,
  pgpOfAll: 1002,
  md5OfAll: 1004,
  gpgOfAll: 1005,
  archiveSize: 1007,
} as const

/** Where dependencies of a kind are: the tags of their names, their flags and their versions. */
export interface DependencyTags {
  readonly kind: DependencyKind
  readonly tags: readonly [names: number, flags: number, versions: number]
  /** What has one of these flags is of another kind. */
  readonly flagged?: { readonly by: number; readonly kind: DependencyKind }
}

const missingIsFine = 1 << 19
const strong = 1 << 27

/** The last two are how some distributions had weak dependencies before rpm had them. */
export const dependencyTags: readonly DependencyTags[] = [
  { kind: 'provides', tags: [1047, 1112, 1113] },
  { kind: 'conflicts', tags: [1054, 1053, 1055] },
  { kind: 'obsoletes', tags: [1090, 1114, 1115] },
  { kind: 'requires', tags: [1049, 1048, 1050], flagged: { by: missingIsFine, kind: 'recommends' } },
  { kind: 'suggests', tags: [5049, 5051, 5050] },
  { kind: 'enhances', tags: [5055, 5057, 5056] },
  { kind: 'recommends', tags: [5046, 5048, 5047] },
  { kind: 'supplements', tags: [5052, 5054, 5053] },
  { kind: 'suggests', tags: [1156, 1158, 1157], flagged: { by: strong, kind: 'recommends' } },
  { kind: 'enhances', tags: [1159, 1161, 1160], flagged: { by: strong, kind: 'supplements' } },
]
