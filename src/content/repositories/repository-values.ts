import type { SecretBox } from '../../platform/auth/secret-box.ts'
import { AppError } from '../../platform/errors.ts'
import type { ContentType } from '../content-type.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues } from '../unit-filter.ts'
import { commonAttributes, commonDefaults, ownAttributes } from './repository-attributes-contract.ts'
import type { RootAttributes, StoredAttributes } from './repository-store.ts'
import { urlProblem } from './repository-url.ts'

export type Problems = Record<string, string[]>

export const passwordPurpose = 'root_repositories.upstream_password'

/** The values of all attributes that a repository of this type has when nothing is said. Secrets are sealed in them. */
export function defaultValues(type: ContentType): AttributeValues {
  const own = Object.entries(type.attributes).map(([name, attribute]) => [name, attribute.default])
  const common = Object.keys(commonAttributes).map((name) => [name, defaultOf(type, name)])
  return Object.fromEntries([...common, ...own])
}

/** The values that a repository has. */
export function valuesOf(type: ContentType, root: RootAttributes): AttributeValues {
  const { type_attributes: own, upstream_password_sealed: password, ...common } = root
  const known = Object.keys(commonAttributes).map((name) => [name, (common as AttributeValues)[name] ?? null])
  return { ...defaultValues(type), ...Object.fromEntries(known), upstream_password: password, ...own }
}

/** Changes values by what a request gives: null, and an empty text, mean the default. */
export function changeValues(
  { type, secrets }: { readonly type: ContentType; readonly secrets: SecretBox },
  values: AttributeValues,
  given: AttributeValues,
): AttributeValues {
  const changes = Object.keys(values).filter((name) => given[name] !== undefined)
  const entries = changes.map((name) => {
    const value = given[name]
    const keepsBlank = name === 'upstream_password' || name === 'description'
    if (value === null || (value === '' && !keepsBlank)) return [name, defaultOf(type, name)]
    return [name, isSecret(type, name) ? secrets.seal(String(value), purposeOf(name)) : value]
  })
  const changed = { ...values, ...Object.fromEntries(entries) }
  // an empty password with no user is none, as clients send both empty to take them away
  const isUnset = changed['upstream_username'] === null && given['upstream_password'] === ''
  return isUnset ? { ...changed, upstream_password: null } : changed
}

/** What is wrong with values, and with what was given beside them for other types. */
export function valueProblems(type: ContentType, values: AttributeValues, given: AttributeValues): Problems {
  const problems: Problems = {}
  const add = (found: Readonly<Record<string, readonly string[]>>) => {
    for (const [name, messages] of Object.entries(found)) problems[name] = [...(problems[name] ?? []), ...messages]
  }
  add(commonProblems(values))
  add(foreignProblems(type, given))
  add(type.check?.(values) ?? {})
  return problems
}

/** @throws AppError `invalid` that names all attributes at once */
export function refuseProblems(problems: Problems): void {
  const text = Object.entries(problems).map(([name, messages]) => `${name} ${messages.join(', ')}`)
  if (text.length > 0) throw new AppError('invalid', `Validation failed: ${text.join('; ')}`, { fields: problems })
}

/** Values as the columns that hold them. */
export function columnsOf(type: ContentType, values: AttributeValues): StoredAttributes {
  const names = Object.keys(commonAttributes).filter((name) => name !== 'upstream_password')
  const own = Object.keys(type.attributes).map((name) => [name, values[name]])
  return {
    ...Object.fromEntries(names.map((name) => [name, values[name]])),
    upstream_password_sealed: values['upstream_password'],
    type_attributes: JSON.stringify(Object.fromEntries(own)),
  } as unknown as StoredAttributes
}

/** The attributes of all types as answers show them: those of other types are null, and secrets are only said to exist. */
export function shownOwnValues(type: ContentType, root: RootAttributes): AttributeValues {
  const values = valuesOf(type, root)
  const shown = Object.keys(ownAttributes).map((name) => [name, isSecret(type, name) ? null : (values[name] ?? null)])
  const secrets = contentTypes.flatMap(({ attributes }) =>
    Object.keys(attributes).filter((name) => attributes[name]?.isSecret),
  )
  const existing = secrets.map((name) => [`${name}_exists`, (values[name] ?? null) !== null])
  return { ...Object.fromEntries([...shown, ...existing]), ...type.derive?.(values) }
}

function defaultOf(type: ContentType, name: string): unknown {
  if (Object.hasOwn(type.attributes, name)) return type.attributes[name]?.default
  return name === 'download_policy' ? (type.downloadPolicy ?? null) : (commonDefaults[name] ?? null)
}

function isSecret(type: ContentType, name: string): boolean {
  return name === 'upstream_password' || type.attributes[name]?.isSecret === true
}

function purposeOf(name: string): string {
  return name === 'upstream_password' ? passwordPurpose : `root_repositories.type_attributes.${name}`
}

function commonProblems(values: AttributeValues): Problems {
  const { url, checksum_type: checksumType, download_policy: policy } = values
  const wrongUrl = typeof url === 'string' ? urlProblem(url) : undefined
  return {
    ...(wrongUrl !== undefined && { url: [wrongUrl] }),
    ...(checksumType !== null &&
      policy === 'on_demand' && { checksum_type: ['cannot be set where the download_policy is on_demand'] }),
    ...loginProblems(values),
    ...(values['http_proxy_policy'] === 'use_selected_http_proxy' &&
      values['http_proxy_id'] === null && {
        http_proxy_id: ['is needed when http_proxy_policy is use_selected_http_proxy'],
      }),
  }
}

function loginProblems({ upstream_username: username, upstream_password: password }: AttributeValues): Problems {
  if (username === null && password !== null)
    return { upstream_username: ['is needed when there is an upstream_password'] }
  if (username !== null && password === null)
    return { upstream_password: ['is needed when there is an upstream_username'] }
  return {}
}

function foreignProblems(type: ContentType, given: AttributeValues): Problems {
  const isSaid = (value: unknown) =>
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  const foreign = contentTypes.flatMap((other) =>
    Object.keys(other.attributes)
      .filter((name) => other !== type && !Object.hasOwn(type.attributes, name) && isSaid(given[name]))
      .map((name) => [name, [`is for repositories of type ${other.name} only`]]),
  )
  return Object.fromEntries(foreign)
}
