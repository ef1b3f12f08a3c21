import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { signingAlgorithms } from '../tables.ts'

const Algorithm = Type.Enum([...signingAlgorithms])

const SigningKey = Type.Object({
  id: Id,
  algorithm: Algorithm,
  fingerprint: Type.String(),
  created_at: Type.String(),
  retired_at: Nullable(Type.String({ description: 'Since when it no longer signs' })),
})

const base = '/content/api/organizations/{id}'
const tag = 'Organizations'
const Organization = Type.Object({ id: Id })

export const signingKeyEndpoints = {
  showText: endpoint({
    action: 'organizations.signing_key',
    method: 'GET',
    path: `${base}/signing_key`,
    status: 200,
    summary: 'The public keys that the repositories of an organization are signed with, as text for clients',
    tag,
    params: Organization,
  }),
  rotate: endpoint({
    action: 'organizations.rotate_signing_key',
    method: 'POST',
    path: `${base}/signing_key`,
    status: 201,
    summary: 'Sign with a new key from now on; clients are told the old ones too until they are removed',
    tag,
    params: Organization,
    body: Type.Object({
      algorithm: OptionalNullable(Algorithm),
    }),
    reply: SigningKey,
  }),
  list: endpoint({
    action: 'organizations.signing_keys',
    method: 'GET',
    path: `${base}/signing_keys`,
    status: 200,
    summary: 'List the keys of an organization, the one that signs first',
    tag,
    params: Organization,
    reply: Type.Array(SigningKey),
  }),
  delete: endpoint({
    action: 'organizations.remove_signing_key',
    method: 'DELETE',
    path: `${base}/signing_keys/{key_id}`,
    status: 200,
    summary: 'Remove a key that no longer signs',
    tag,
    params: Type.Object({ id: Id, key_id: Id }),
    reply: SigningKey,
  }),
}
