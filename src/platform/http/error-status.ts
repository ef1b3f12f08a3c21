import type { AppError, ErrorCode } from '../errors.ts'
import type { Family } from './family.ts'

const statusOf = {
  malformed: 400,
  invalid: 422,
  unsearchable: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  throttled: 429,
  upstream: 502,
  unavailable: 503,
  cancelled: 503,
  internal: 500,
} as const satisfies Record<ErrorCode, number>

/** The one table from what went wrong to what HTTP calls it. */
export function errorStatus(family: Family, error: AppError): number {
  // the links API knows no 422: its clients expect 400 for whatever is wrong with a request
  if (family === 'links' && error.code === 'invalid') return 400
  return statusOf[error.code]
}
