import { Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'

const common = { method: 'GET', status: 200, tag: 'Service', access: 'public' } as const

const Service = Type.Object({
  status: Type.Enum(['ok', 'FAIL']),
  duration_ms: Type.String(),
  message: Type.Optional(Type.String()),
})
const Services = Type.Object({ status: Type.Enum(['ok', 'FAIL']), services: Type.Record(Type.String(), Service) })

export const statusEndpoints = {
  status: endpoint({
    ...common,
    action: 'home.status',
    path: '/api/status',
    summary: 'The release of Foreman that the interface is compatible with',
    reply: Type.Object({
      result: Type.Literal('ok'),
      status: Type.Literal(200),
      version: Type.String(),
      api_version: Type.Literal(2),
    }),
  }),
  ping: endpoint({
    ...common,
    action: 'ping.ping',
    path: '/api/ping',
    summary: 'Whether the database and the stored bytes can be reached',
    reply: Type.Object({
      results: Type.Object({
        foreman: Type.Object({
          database: Type.Object({ active: Type.Boolean(), duration_ms: Type.String() }),
        }),
        katello: Services,
      }),
    }),
  }),
  contentPing: endpoint({
    ...common,
    action: 'ping.index',
    path: '/content/api/ping',
    summary: 'Whether the services of the content API work',
    reply: Services,
  }),
  contentStatus: endpoint({
    ...common,
    action: 'ping.server_status',
    path: '/content/api/status',
    summary: 'The release of Katello that the interface is compatible with, and the time',
    reply: Type.Object({ release: Type.String(), version: Type.String(), timeUTC: Type.String() }),
  }),
}
