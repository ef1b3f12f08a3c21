import { type TSchema, Type } from 'typebox'
import { Id, OptionalNullable } from '../../platform/http/schemas.ts'
import { Description } from '../contract-parts.ts'
import { contentTypes } from '../types/index.ts'

/** The attributes that repositories of every type have; null means the default. */
export const commonAttributes = {
  description: OptionalNullable(Description),
  url: OptionalNullable(Type.String({ maxLength: 1024, description: 'Upstream; http or https' })),
  unprotected: OptionalNullable(Type.Boolean({ description: 'Served without login; default true' })),
  mirror_on_sync: OptionalNullable(
    Type.Boolean({ description: 'A sync also removes what the upstream no longer has; default true' }),
  ),
  verify_ssl_on_sync: OptionalNullable(
    Type.Boolean({ description: 'Check the certificate of the upstream; default true' }),
  ),
  checksum_type: OptionalNullable(
    Type.Enum(['sha1', 'sha256', ''], { description: 'Of the metadata that is published' }),
  ),
  download_policy: OptionalNullable(
    Type.Enum(['immediate', 'on_demand', ''], { description: 'When the bytes of units are fetched' }),
  ),
  download_concurrency: OptionalNullable(
    Type.Integer({ minimum: 1, maximum: 19, description: 'Files fetched at once; default 10' }),
  ),
  arch: OptionalNullable(Type.String({ maxLength: 255, description: 'Architecture of the content; default noarch' })),
  upstream_username: OptionalNullable(Type.String({ maxLength: 255 })),
  upstream_password: OptionalNullable(Type.String({ maxLength: 1000, description: 'Never shown again' })),
  gpg_key_id: OptionalNullable(Id),
  ssl_ca_cert_id: OptionalNullable(Id),
  ssl_client_cert_id: OptionalNullable(Id),
  ssl_client_key_id: OptionalNullable(Id),
  http_proxy_policy: OptionalNullable(
    Type.Enum(['global_default_http_proxy', 'none', 'use_selected_http_proxy'], {
      description: 'Default global_default_http_proxy',
    }),
  ),
  http_proxy_id: OptionalNullable(Id),
} as const satisfies Record<string, TSchema>

const typeAttributes = contentTypes.flatMap(({ attributes }) => Object.entries(attributes))

/** The attributes that repositories of some type have, of all types together. */
export const ownAttributes: Readonly<Record<string, ReturnType<typeof OptionalNullable>>> = Object.fromEntries(
  typeAttributes.map(([name, { schema }]) => [name, OptionalNullable(schema)]),
)

/** What common attributes are when nothing was said; those that are not here are null. */
export const commonDefaults: Readonly<Record<string, unknown>> = {
  unprotected: true,
  mirror_on_sync: true,
  verify_ssl_on_sync: true,
  arch: 'noarch',
  http_proxy_policy: 'global_default_http_proxy',
}
