import { type Route, route } from '../../platform/http/endpoint.ts'
import { textReply } from '../../platform/http/raw-reply.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import type { SigningKeyRow } from '../tables.ts'
import { signingKeyEndpoints as endpoints } from './signing-key-contract.ts'
import type { SigningKeyService } from './signing-key-service.ts'

export function signingKeyRoutes(keys: SigningKeyService): Route[] {
  return [
    route(endpoints.showText, async ({ actor, params }) => textReply(await keys.getPublicKey(actor, params.id))),
    route(endpoints.rotate, async ({ actor, params, body }) =>
      present(await keys.rotateKey(actor, params.id, body.algorithm ?? undefined)),
    ),
    route(endpoints.list, async ({ actor, params }) => (await keys.listKeys(actor, params.id)).map(present)),
    route(endpoints.delete, async ({ actor, params }) =>
      present(await keys.deleteKey(actor, params.id, params.key_id)),
    ),
  ]
}

function present({ id, algorithm, fingerprint, created_at, retired_at }: SigningKeyRow): object {
  return {
    id,
    algorithm,
    fingerprint,
    created_at: timestamp(created_at),
    retired_at: retired_at === null ? null : timestamp(retired_at),
  }
}
