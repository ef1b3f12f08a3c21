import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'
import { Name } from '../contract-parts.ts'
import { credentialKinds } from '../tables.ts'

/** Longer than any chain of certificates. */
export const maxContentBytes = 512 * 1024

const Kind = Type.Enum([...credentialKinds])
const Content = Type.String({ minLength: 1, maxLength: maxContentBytes, description: 'OpenPGP armor or PEM' })

const Credential = Type.Object({
  id: Id,
  name: Type.String(),
  content_type: Kind,
  content: Type.String(),
  organization_id: Id,
})

const tag = 'Content credentials'
const base = '/content/api/content_credentials'
const One = Type.Object({ id: Id })

export const credentialEndpoints = {
  list: endpoint({
    action: 'content_credentials.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List the keys and certificates of an organization',
    tag,
    query: Type.Object({
      ...SearchQuery,
      organization_id: Id,
      name: Type.Optional(Type.String()),
      content_type: Type.Optional(Kind),
    }),
  }),
  create: endpoint({
    action: 'content_credentials.create',
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Add a key or a certificate',
    tag,
    wrapper: 'content_credential',
    body: Type.Object({ organization_id: Id, name: Name, content_type: Kind, content: Content }),
    reply: Credential,
  }),
  show: endpoint({
    action: 'content_credentials.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a key or a certificate',
    tag,
    params: One,
    reply: Credential,
  }),
  update: endpoint({
    action: 'content_credentials.update',
    method: 'PUT',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Change a key or a certificate',
    tag,
    params: One,
    wrapper: 'content_credential',
    body: Type.Object({
      name: Type.Optional(Name),
      content_type: Type.Optional(Kind),
      content: Type.Optional(Content),
    }),
    reply: Credential,
  }),
  delete: endpoint({
    action: 'content_credentials.destroy',
    method: 'DELETE',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Delete a key or a certificate that nothing uses',
    tag,
    params: One,
  }),
  showContent: endpoint({
    action: 'content_credentials.content',
    method: 'GET',
    path: `${base}/{id}/content`,
    status: 200,
    summary: 'The key or the certificate as text',
    tag,
    params: One,
  }),
  saveContent: endpoint({
    action: 'content_credentials.set_content',
    method: 'POST',
    path: `${base}/{id}/content`,
    status: 200,
    summary: 'Replace the content with that of a form',
    tag,
    params: One,
    form: Type.Object({ content: Type.String({ description: 'File' }) }),
    streamsBody: true,
    bodyLimitBytes: 2 * maxContentBytes,
    reply: Credential,
  }),
}
