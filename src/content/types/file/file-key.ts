/** A file unit is its path and its bytes. */
export function fileKey({ path, sha256 }: { readonly path: string; readonly sha256: string }): string {
  return `${sha256} ${path}`
}
