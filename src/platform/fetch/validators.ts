import type { Validators } from './fetch-options.ts'

/** What an answer says about its version; asking with it as conditions gives 304 while that is the present one. */
export function validatorsOf(headers: Headers): Validators {
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) }
}
