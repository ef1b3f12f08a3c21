import { invalidField } from '../../platform/errors.ts'

/**
 * Reads the address of an upstream.
 *
 * @throws AppError `invalid` naming the field
 */
export function parseUpstreamUrl(text: string, field: string): URL {
  const problem = urlProblem(text)
  if (problem !== undefined) throw invalidField(field, problem)
  return new URL(text)
}

/** What is wrong with the address of an upstream. */
export function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://mirror.example/files/'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user or a password: set upstream_username and upstream_password'
  return undefined
}
