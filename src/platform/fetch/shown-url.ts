const secretName = /auth|credential|key|pass|secret|sig|token/i

/** A URL for messages and logs: without user and password, and without the values of parameters that look secret. */
export function shownUrl(url: URL | string): string {
  if (typeof url === 'string' && !URL.canParse(url)) return url.replace(/\/\/[^/]*@/, '//')
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  shown.hash = ''
  for (const name of new Set(shown.searchParams.keys())) {
    if (secretName.test(name)) shown.searchParams.set(name, '***')
  }
  return shown.href
}
