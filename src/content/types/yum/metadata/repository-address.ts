/** The folder that repomd.xml, or the folder of it, is in; undefined for anything but an http or https URL. */
export function repositoryAddress(url: string): string | undefined {
  const parsed = url.length <= 2048 ? URL.parse(url) : null
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return undefined
  parsed.pathname = parsed.pathname.replace(/(?:\/repodata\/repomd\.xml)?\/?$/, '/')
  parsed.hash = ''
  return parsed.href
}
