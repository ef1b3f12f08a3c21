import { escapeHtml } from '../../platform/http/docs-page.ts'
import type { ListedEntry } from './served-file-store.ts'

/** A plain listing that people and mirroring programs can read. */
export function folderPage(path: string, entries: readonly ListedEntry[]): string {
  const title = escapeHtml(`Index of ${path}`)
  const rows = entries.map(row).join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><table><tr><th>Name</th><th>Size</th></tr>
<tr><td><a href="../">../</a></td><td></td></tr>
${rows}</table></body></html>
`
}

function row({ name, isFolder, sizeBytes }: ListedEntry): string {
  const shown = isFolder ? `${name}/` : name
  const href = `${encodeURIComponent(name)}${isFolder ? '/' : ''}`
  return `<tr><td><a href="./${href}">${escapeHtml(shown)}</a></td><td>${sizeBytes ?? ''}</td></tr>\n`
}
