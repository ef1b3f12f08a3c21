/** The type of a record of repomd.xml without what tells of a compression: `group` for `group_gz`. */
export function baseType(type: string): string {
  return type.replace(/_(?:gz|xz|bz2|zst)$/, '')
}
