import type { TObject, TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'

/** A parameter as Katello's clients want to find it described. */
export interface ApidocParam {
  readonly name: string
  readonly full_name: string
  readonly description: string
  readonly required: boolean
  readonly allow_nil: boolean
  readonly allow_blank: boolean
  readonly validator: string
  readonly expected_type: 'string' | 'numeric' | 'boolean' | 'array' | 'hash'
  readonly metadata: null
  readonly show: true
  readonly validations: readonly []
  readonly params?: readonly ApidocParam[]
}

/** The parts of a JSON schema that are told. */
interface SchemaParts {
  readonly type?: string
  readonly anyOf?: readonly SchemaParts[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaParts>>
  readonly required?: readonly string[]
  readonly items?: SchemaParts
}

/** What an endpoint takes: variables of its path, then of its query, then attributes, nested where clients wrap them. */
export function endpointParams(endpoint: Endpoint, isWrapped: boolean): ApidocParam[] {
  const { params, query, body, form, wrapper } = endpoint
  const attributes = propertyParams(body as TObject | undefined)
  const wrapped = isWrapped && wrapper !== undefined && body !== undefined
  return byName([
    ...propertyParams(params),
    ...propertyParams(query),
    ...propertyParams(form),
    ...(wrapped ? [wrappedParam(wrapper, propertyParams(body, wrapper))] : attributes),
  ])
}

/** The parameters of several addresses of one method: required is what each of them requires. */
export function commonParams(lists: readonly (readonly ApidocParam[])[]): ApidocParam[] {
  return byName(lists.flat()).map((param) => {
    const everywhere = lists.every((list) => list.some(({ name, required }) => name === param.name && required))
    return { ...param, required: everywhere }
  })
}

export function wrappedParam(name: string, params: readonly ApidocParam[]): ApidocParam {
  return { ...param(name, { type: 'object' }, { required: true }), params }
}

function byName(params: readonly ApidocParam[]): ApidocParam[] {
  return [...new Map(params.toReversed().map((param) => [param.name, param])).values()].reverse()
}

function propertyParams(schema: TSchema | SchemaParts | undefined, prefix?: string): ApidocParam[] {
  const { properties = {}, required = [] } = (schema ?? {}) as SchemaParts
  return Object.entries(properties).map(([name, property]) =>
    param(name, property, { required: required.includes(name), prefix }),
  )
}

interface Place {
  readonly required: boolean
  /** The parameter that this one is inside of. */
  readonly prefix?: string | undefined
}

function param(name: string, property: SchemaParts, { required, prefix }: Place): ApidocParam {
  const branches = property.anyOf ?? [property]
  // of several forms the first is what clients send: the others are for people
  const main = branches.find(({ type }) => type !== 'null') ?? property
  const fullName = prefix === undefined ? name : `${prefix}[${name}]`
  const nested = propertyParams(main.type === 'array' ? main.items : main, fullName)
  return {
    name,
    full_name: fullName,
    description: property.description ?? main.description ?? '',
    required,
    allow_nil: branches.some(({ type }) => type === 'null'),
    allow_blank: main.enum?.includes('') ?? false,
    validator: validatorOf(main),
    expected_type: expectedType(main),
    metadata: null,
    show: true,
    validations: [],
    ...(nested.length === 0 ? {} : { params: nested }),
  }
}

function expectedType({ type }: SchemaParts): ApidocParam['expected_type'] {
  switch (type) {
    case 'integer':
    case 'number':
      return 'numeric'
    case 'boolean':
    case 'array':
      return type
    case 'object':
      return 'hash'
    default:
      return 'string'
  }
}

/** Clients read the values of an enumeration out of this sentence. */
function validatorOf(schema: SchemaParts): string {
  if (schema.enum !== undefined) return `Must be one of: ${schema.enum.filter((value) => value !== '').join(', ')}.`
  switch (expectedType(schema)) {
    case 'numeric':
      return 'Must be a number.'
    case 'boolean':
      return 'Must be one of: true, false, 1, 0.'
    case 'array':
      return 'Must be a list.'
    case 'hash':
      return 'Must be an object.'
    default:
      return 'Must be text.'
  }
}
