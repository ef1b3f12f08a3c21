import { Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { PageQuery } from '../http/paging.ts'
import { Id, Nullable } from '../http/schemas.ts'
import { SearchQuery } from '../search/list-request.ts'
import { globalRights } from './actor.ts'

const Login = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\s:]+$',
  description: 'Without blanks and colons',
})
const Password = Type.String({ minLength: 8, maxLength: 1000, description: 'At least 8 characters' })
const Rights = Type.Array(Type.Enum([...globalRights]), {
  maxItems: globalRights.length,
  description: '`admin` may do everything; `labs.host` may run host nodes and use host interfaces',
})

const User = Type.Object({
  id: Id,
  login: Type.String(),
  admin: Type.Boolean(),
  rights: Rights,
  disabled: Type.Boolean(),
  created_at: Type.String(),
  updated_at: Type.String(),
})

const PersonalToken = Type.Object({
  id: Id,
  name: Type.String(),
  user_id: Id,
  'active?': Type.Boolean(),
  created_at: Type.String(),
  expires_at: Nullable(Type.String()),
  last_used_at: Nullable(Type.String()),
  token_value: Type.Optional(Type.String({ description: 'Only in the answer that creates it' })),
})

const user = { tag: 'Users', params: Type.Object({ id: Id }), reply: User }
const token = { tag: 'Users', reply: PersonalToken }
const tokensPath = '/api/users/{user_id}/personal_access_tokens'

export const userEndpoints = {
  list: endpoint({
    action: 'users.index',
    method: 'GET',
    path: '/api/users',
    status: 200,
    summary: 'List users; for administrators',
    tag: 'Users',
    query: Type.Object(SearchQuery),
  }),
  current: endpoint({
    action: 'users.show_current',
    method: 'GET',
    path: '/api/current_user',
    status: 200,
    summary: 'Show who is logged in',
    tag: 'Users',
    reply: User,
  }),
  create: endpoint({
    action: 'users.create',
    method: 'POST',
    path: '/api/users',
    status: 201,
    summary: 'Create a user; for administrators',
    tag: 'Users',
    reply: User,
    wrapper: 'user',
    body: Type.Object({
      login: Login,
      password: Password,
      admin: Type.Optional(Type.Boolean()),
      rights: Type.Optional(Rights),
    }),
  }),
  show: endpoint({
    action: 'users.show',
    ...user,
    method: 'GET',
    path: '/api/users/{id}',
    status: 200,
    summary: 'Show a user',
  }),
  update: endpoint({
    action: 'users.update',
    ...user,
    method: 'PUT',
    path: '/api/users/{id}',
    status: 200,
    summary: 'Change a user; others than administrators change their own password',
    wrapper: 'user',
    body: Type.Object({
      login: Type.Optional(Login),
      password: Type.Optional(Password),
      current_password: Type.Optional(Type.String({ maxLength: 1000 })),
      admin: Type.Optional(Type.Boolean()),
      rights: Type.Optional(Rights),
      disabled: Type.Optional(Type.Boolean()),
    }),
  }),
  delete: endpoint({
    action: 'users.destroy',
    ...user,
    method: 'DELETE',
    path: '/api/users/{id}',
    status: 200,
    summary: 'Delete a user; for administrators',
  }),
  listTokens: endpoint({
    action: 'personal_access_tokens.index',
    method: 'GET',
    path: tokensPath,
    status: 200,
    summary: 'List the personal tokens of a user',
    tag: 'Users',
    params: Type.Object({ user_id: Id }),
    query: Type.Object(PageQuery),
  }),
  createToken: endpoint({
    action: 'personal_access_tokens.create',
    ...token,
    method: 'POST',
    path: tokensPath,
    status: 201,
    summary: 'Create a personal token; its value is in this answer only',
    params: Type.Object({ user_id: Id }),
    wrapper: 'personal_access_token',
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255 }),
      expires_at: Type.Optional(Nullable(Type.String({ maxLength: 40, description: 'ISO 8601; null means never' }))),
    }),
  }),
  deleteToken: endpoint({
    action: 'personal_access_tokens.destroy',
    ...token,
    method: 'DELETE',
    path: `${tokensPath}/{id}`,
    status: 200,
    summary: 'Revoke a personal token',
    params: Type.Object({ user_id: Id, id: Id }),
  }),
}
