import type { AppError } from '../errors.ts'
import type { Family } from './family.ts'

/** What the renderers may say of the request that failed. */
export interface FailedRequest {
  readonly method: string
  /** The path as it was declared, with its variables; the path itself when no route matched. */
  readonly route: string
  readonly body: unknown
}

/** The JSON of an error, in the form that clients of that path read. 500s never show their cause. */
export function errorBody(family: Family, error: AppError, request: FailedRequest & { status: number }): object {
  switch (family) {
    case 'links':
      return linksBody(error, request)
    case 'content':
      return contentBody(error)
    case 'plain':
      return { error: { message: error.message } }
  }
}

function linksBody(error: AppError, { status, route, body, method }: FailedRequest & { status: number }): object {
  const short = { message: error.message, status }
  return status === 400 ? { ...short, path: route, request: body ?? null, method } : short
}

function contentBody(error: AppError): object {
  switch (error.code) {
    case 'unauthenticated':
    case 'throttled':
    case 'unsupported_media_type':
      return { error: { message: error.message } }
    case 'unsearchable':
      // Foreman's clients know the error by this name
      return { error: { message: error.message, class: 'ScopedSearch::QueryNotSupported' } }
    case 'forbidden':
      return forbiddenBody(error)
    default:
      return { displayMessage: error.message, errors: error.fields ?? [error.message] }
  }
}

function forbiddenBody(error: AppError): object {
  const missing = error.fields?.['permissions'] ?? []
  const details = `Missing one of the required permissions: ${missing.join(', ')}`
  return { error: { message: error.message, details, missing_permissions: missing } }
}
