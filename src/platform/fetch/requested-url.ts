import { AppError } from '../errors.ts'
import { shownUrl } from './shown-url.ts'

/** @throws AppError `invalid` for what is no URL or neither http nor https */
export function parseRequestedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw new AppError('invalid', `Cannot fetch "${shownUrl(text)}": it is not a URL`)
  if (isHttp(url)) return url
  throw new AppError('invalid', `Cannot fetch ${shownUrl(url)}: only http and https are supported`)
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

/** The URL without user and password, which travel in a header. */
export function withoutCredentials(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare
}
