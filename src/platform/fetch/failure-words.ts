import { errors } from 'undici'
import type { Timeouts } from './fetch-options.ts'

export interface FailureWords {
  readonly reason: string
  /** Asking again may help. */
  readonly isTemporary: boolean
}

type Words = (timeouts: Timeouts) => FailureWords

const temporary =
  (reason: string): Words =>
  () => ({ reason, isTemporary: true })
const lasting =
  (reason: string): Words =>
  () => ({ reason, isTemporary: false })

const reset = temporary('the connection was reset')
const unknownAuthority = lasting('its certificate is from an unknown authority')
const noConnection: Words = ({ connectMs }) => ({ reason: `no connection within ${connectMs} ms`, isTemporary: true })

/** Codes of the operating system, of TLS and of undici. */
const wordsOf: Readonly<Record<string, Words>> = {
  ECONNREFUSED: temporary('connection refused'),
  ECONNRESET: reset,
  EPIPE: reset,
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  EHOSTUNREACH: temporary('the host cannot be reached'),
  EHOSTDOWN: temporary('the host is down'),
  ENETUNREACH: temporary('the network cannot be reached'),
  ENETDOWN: temporary('the network is down'),
  EAI_AGAIN: temporary('the host name could not be looked up'),
  ENOTFOUND: lasting('the host name is unknown'),
  CERT_HAS_EXPIRED: lasting('its certificate has expired'),
  CERT_NOT_YET_VALID: lasting('its certificate is not valid yet'),
  CERT_REVOKED: lasting('its certificate was revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: lasting('its certificate is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: lasting('its certificate is for another host'),
  UND_ERR_PRX_TLS: lasting('the certificate of the proxy is for another host'),
  ERR_SSL_WRONG_VERSION_NUMBER: lasting('it does not speak TLS'),
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: lasting('it asks for a client certificate'),
  UND_ERR_HEADERS_TIMEOUT: ({ answerMs }) => ({ reason: `no answer within ${answerMs} ms`, isTemporary: true }),
  UND_ERR_HEADERS_OVERFLOW: lasting('its answer has too many headers'),
  UND_ERR_SOCKET: temporary('it closed the connection'),
  UND_ERR_DESTROYED: lasting('the fetcher was closed'),
  UND_ERR_CLOSED: lasting('the fetcher was closed'),
}

/** Says in words why there was no answer, whatever layer found out. */
export function wordsForFailure(error: unknown, timeouts: Timeouts): FailureWords {
  const cause = innermost(error)
  const code = String((cause as NodeJS.ErrnoException).code ?? '')
  const known = wordsOf[code]
  if (known !== undefined) return known(timeouts)
  if (cause instanceof errors.HTTPParserError) return { reason: 'its answer is not HTTP', isTemporary: false }
  const message = cause instanceof Error ? cause.message : String(cause)
  return wordsForProxy(message) ?? wordsForTls(code, message) ?? { reason: message, isTemporary: true }
}

/** undici tells what a proxy answered in messages only. */
function wordsForProxy(message: string): FailureWords | undefined {
  const status =
    /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? /^Proxy Authentication Required \((407)\)/.exec(message)?.[1]
  if (status === undefined) return undefined
  return { reason: `the proxy answered ${status}`, isTemporary: /^50[234]$/.test(status) }
}

function wordsForTls(code: string, message: string): FailureWords | undefined {
  if (!code.startsWith('ERR_SSL_') && code !== 'EPROTO') return undefined
  const alert = /alert ([a-z ]+)/.exec(message)?.[1]
  return { reason: `the TLS handshake failed${alert === undefined ? '' : ` (${alert.trim()})`}`, isTemporary: false }
}

/** The first of several attempts (one per address) stands for all; undici wraps some errors of sockets. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  if (!(error instanceof Error) || error.cause === undefined) return error
  const code = (error as NodeJS.ErrnoException).code
  return code !== undefined && code !== 'UND_ERR_SOCKET' && code in wordsOf ? error : innermost(error.cause)
}
