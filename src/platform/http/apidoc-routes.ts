import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Apidoc } from './apidoc.ts'
import { foremanVersion } from './compatible-release.ts'
import { endpoint, type Route, route } from './endpoint.ts'
import { familyOf } from './family.ts'
import { textReply } from './raw-reply.ts'

const common = { method: 'GET', status: 200, tag: 'Service', access: 'public' } as const

const endpoints = {
  document: endpoint({ ...common, path: '/apidoc/v2.json', summary: 'This interface for clients of Katello' }),
  translation: endpoint({
    ...common,
    path: '/apidoc/v2.{language}.json',
    summary: 'The same: there is one language',
    params: Type.Object({ language: Type.String({ maxLength: 20 }) }),
  }),
  checksum: endpoint({
    ...common,
    path: '/apidoc/apipie_checksum',
    summary: 'The checksum by which clients know whether their copy is still right',
    reply: Type.Object({ checksum: Type.String() }),
  }),
}

export const apidocEndpoints = Object.values(endpoints)

export function apidocRoutes({ text, checksum }: Apidoc): Route[] {
  const document = () => textReply(text, 'application/json; charset=utf-8')
  return [
    route(endpoints.document, document),
    route(endpoints.translation, document),
    route(endpoints.checksum, () => ({ checksum })),
  ]
}

/** Puts on every answer of the content API by what its clients know the server, and the document they should have. */
export function addForemanHeaders(app: FastifyInstance, { checksum }: Apidoc): void {
  const headers = { foreman_version: foremanVersion, foreman_api_version: '2', 'apipie-checksum': checksum }
  app.addHook('onRequest', async ({ url }, reply) => {
    if (familyOf(url) === 'content') reply.headers(headers)
  })
}
