import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import { requireRight } from '../auth/actor.ts'
import { AppError } from '../errors.ts'
import { inTime } from '../in-time.ts'
import { docsPage } from './docs-page.ts'
import { type Endpoint, endpoint, type Route, route } from './endpoint.ts'
import { openApi } from './openapi.ts'
import { textReply } from './raw-reply.ts'

const Health = Type.Object({ status: Type.Literal('ok') })

const endpoints = {
  health: endpoint({
    method: 'GET',
    path: '/healthz',
    status: 200,
    summary: 'The process runs',
    tag: 'Service',
    access: 'public',
    reply: Health,
  }),
  ready: endpoint({
    method: 'GET',
    path: '/readyz',
    status: 200,
    summary: 'Requests and tasks can be served; 503 until then',
    tag: 'Service',
    access: 'public',
    reply: Health,
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    status: 200,
    summary: 'Metrics in the Prometheus text format; for administrators',
    tag: 'Service',
  }),
  docs: endpoint({ method: 'GET', path: '/docs', status: 200, summary: 'This page', tag: 'Service' }),
  openApi: endpoint({
    method: 'GET',
    path: '/docs/openapi.json',
    status: 200,
    summary: 'This interface in OpenAPI 3.1',
    tag: 'Service',
  }),
}

export interface ServiceParts {
  readonly version: string
  readonly registry: Registry
  /** Throws when the process cannot do its work at this moment. */
  readonly checkReady: () => Promise<void>
  /** The endpoints to document, besides those of this module. */
  readonly documented: readonly Endpoint[]
}

/** What tells supervisors and load balancers of a listener whether it works. */
export function healthRoutes(checkReady: ServiceParts['checkReady']): Route[] {
  return [
    route(endpoints.health, () => ({ status: 'ok' })),
    route(endpoints.ready, async () => {
      try {
        await inTime(checkReady(), 'The database does not answer')
      } catch (error) {
        throw new AppError('unavailable', 'Not ready', { cause: error })
      }
      return { status: 'ok' }
    }),
  ]
}

/** Health, metrics and documentation of the API's listener. */
export function serviceRoutes({ version, registry, checkReady, documented }: ServiceParts): Route[] {
  const all = [...documented, ...Object.values(endpoints as Record<string, Endpoint>)]
  return [
    ...healthRoutes(checkReady),
    route(endpoints.metrics, async ({ actor }) => {
      requireRight(actor, 'admin')
      return textReply(await registry.metrics(), registry.contentType)
    }),
    route(endpoints.docs, () => textReply(docsPage(all, version), 'text/html; charset=utf-8')),
    route(endpoints.openApi, () => openApi(all, version)),
  ]
}
