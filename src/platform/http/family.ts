/** Whose conventions a path follows. */
export type Family = 'links' | 'content' | 'plain'

export function familyOf(path: string): Family {
  if (/^\/v2(\/|\?|$)/.test(path)) return 'links'
  if (/^\/(content\/api|foreman_tasks\/api|api|apidoc)(\/|\?|$)/.test(path)) return 'content'
  return 'plain'
}
