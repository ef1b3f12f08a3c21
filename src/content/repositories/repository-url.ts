import { invalidField } from '../../platform/errors.ts'

/**
 * Checks the address of an upstream.
 *
 * @throws AppError `invalid` naming `url`
 */
export function parseUpstreamUrl(text: string, field = 'url'): URL {
  if (!URL.canParse(text)) throw invalidField(field, 'must be a URL such as https://mirror.example/files/')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidField(field, 'must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') {
    throw invalidField(field, 'must not hold a user or a password: set upstream_username and upstream_password')
  }
  return url
}
