import { AppError, invalidField } from '../../platform/errors.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { formParts } from '../../platform/http/forms/form-parts.ts'
import { wholeOf } from '../../platform/http/forms/piece-reader.ts'
import { textReply } from '../../platform/http/raw-reply.ts'
import { timestamp } from '../../platform/http/timestamps.ts'
import { answerList } from '../answer-list.ts'
import { credentialEndpoints as endpoints, maxContentBytes } from './credential-contract.ts'
import { type CredentialUse, credentialUses } from './credential-references.ts'
import type { CredentialService, CredentialView } from './credential-service.ts'
import type { CredentialUser } from './credential-users.ts'

export function credentialRoutes(credentials: CredentialService, now: () => number): Route[] {
  return [
    route(endpoints.list, ({ actor, query }) =>
      answerList(query, { now: now() }, async (request) => {
        const filter = { organizationId: query.organization_id, name: query.name, contentType: query.content_type }
        const { rows, ...counts } = await credentials.listCredentials(actor, filter, request)
        return { rows: rows.map(present), ...counts }
      }),
    ),
    route(endpoints.create, async ({ actor, body: { organization_id: organizationId, ...attributes } }) =>
      present(await credentials.createCredential(actor, { ...attributes, organizationId })),
    ),
    route(endpoints.show, async ({ actor, params }) => present(await credentials.getCredential(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await credentials.updateCredential(actor, params.id, body)),
    ),
    route(endpoints.delete, async ({ actor, params }) => {
      await credentials.deleteCredential(actor, params.id)
      return {}
    }),
    route(endpoints.showContent, async ({ actor, params }) => {
      const { content } = await credentials.getCredential(actor, params.id)
      if (content === undefined)
        throw new AppError('forbidden', 'Access denied', { fields: { permissions: ['edit_content_credentials'] } })
      return textReply(content)
    }),
    route(endpoints.saveContent, async ({ actor, params, upload, request }) => {
      await credentials.requireHandler(actor, params.id)
      const content = await sentContent(request.headers['content-type'], upload)
      return present(await credentials.updateCredential(actor, params.id, { content }))
    }),
  ]
}

async function sentContent(contentType: string | undefined, body: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const part of formParts(contentType, body)) {
    if (part.name !== 'content') continue
    const text = (await wholeOf(part.body, maxContentBytes)).toString('utf8')
    if (text.includes('\0')) throw invalidField('content', 'must be text')
    return text
  }
  throw invalidField('content', "can't be blank")
}

function present({ credential, organization, content, users }: CredentialView): object {
  const { id, name, content_type, organization_id, created_at, updated_at } = credential
  const usersFor = (use: CredentialUse, kind: CredentialUser['kind']) =>
    users.filter((user) => user.kind === kind && user.attribute === use.attribute).map(({ id, name }) => ({ id, name }))
  return {
    id,
    name,
    content_type,
    content: content ?? null,
    organization_id,
    organization: { id: organization.id, name: organization.name, label: organization.label },
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
    ...Object.fromEntries(
      credentialUses.flatMap((use) => [
        [use.products, usersFor(use, 'product')],
        [use.repositories, usersFor(use, 'repository')],
      ]),
    ),
  }
}
