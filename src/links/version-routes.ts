import { Type } from 'typebox'
import { AppError } from '../platform/errors.ts'
import { endpoint, type Route, route } from '../platform/http/endpoint.ts'
import { compatibleVersion } from './compatible-version.ts'

const Version = Type.Object({ version: Type.String(), local: Type.Boolean(), backhaul: Type.String() })

const endpoints = {
  show: endpoint({
    method: 'GET',
    path: '/v2/version',
    status: 200,
    summary: 'Show the version',
    tag: 'Service',
    access: 'public',
    reply: Version,
  }),
  compare: endpoint({
    method: 'POST',
    path: '/v2/version',
    status: 200,
    summary: 'Ask whether a client of this version fits',
    tag: 'Service',
    body: Type.Object({ version: Type.String({ maxLength: 100 }) }),
    reply: Version,
  }),
}

export function versionRoutes(ownVersion: string): Route[] {
  const answer = { version: compatibleVersion, local: false, backhaul: ownVersion }
  return [
    route(endpoints.show, () => answer),
    route(endpoints.compare, ({ body }) => {
      if (body.version === compatibleVersion) return answer
      throw new AppError(
        'conflict',
        `Client version ${body.version} is not the same as server version ${compatibleVersion}`,
      )
    }),
  ]
}
