import { AppError } from '../../errors.ts'
import type { FormPart } from './form-part.ts'
import { multipartParts } from './multipart.ts'
import { urlencodedParts } from './urlencoded.ts'

/**
 * The fields of a form in either of the encodings that HTML knows, as they come.
 *
 * @throws AppError `unsupported_media_type` for anything else, `malformed`
 */
export function formParts(contentType: string | undefined, body: AsyncIterable<Uint8Array>): AsyncIterable<FormPart> {
  const [kind] = (contentType ?? '').toLowerCase().split(';', 1)
  if (kind?.trim() === 'application/x-www-form-urlencoded') return urlencodedParts(body)
  if (kind?.trim() === 'multipart/form-data') return multipartParts(boundaryOf(contentType ?? ''), body)
  throw new AppError(
    'unsupported_media_type',
    `Cannot read the body: "${contentType ?? ''}" is unsupported, send multipart/form-data`,
  )
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw new AppError('malformed', 'Cannot read the form: its Content-Type has no boundary')
  return boundary
}
