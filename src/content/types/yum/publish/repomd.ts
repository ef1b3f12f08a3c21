/** A file of `repodata/` as `repomd.xml` tells of it. */
export interface RepomdRecord {
  readonly type: string
  readonly href: string
  readonly sha256: string
  readonly sizeBytes: number
  /** Where it is compressed. */
  readonly open?: { readonly sha256: string; readonly sizeBytes: number } | undefined
}

/** The index of a repository's metadata, as createrepo_c writes it. Times are in seconds. */
export function formatRepomd(records: readonly RepomdRecord[], time: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">
  <revision>${time}</revision>
${records.map((record) => formatRecord(record, time)).join('')}</repomd>
`
}

function formatRecord({ type, href, sha256, sizeBytes, open }: RepomdRecord, time: number): string {
  const lines = [
    `<checksum type="sha256">${sha256}</checksum>`,
    ...(open === undefined ? [] : [`<open-checksum type="sha256">${open.sha256}</open-checksum>`]),
    `<location href="${escapeAttribute(href)}"/>`,
    `<timestamp>${time}</timestamp>`,
    `<size>${sizeBytes}</size>`,
    ...(open === undefined ? [] : [`<open-size>${open.sizeBytes}</open-size>`]),
  ]
  return `  <data type="${escapeAttribute(type)}">\n${lines.map((line) => `    ${line}\n`).join('')}  </data>\n`
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
