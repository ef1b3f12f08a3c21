import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '../errors.ts'
import { coerce } from './coerce.ts'

interface Problem {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** Checks values against one schema; text that stands for numbers and booleans is read first when `reads` is text. */
export function checker(schema: TSchema, reads: 'json' | 'text'): (value: unknown) => unknown {
  const validator = Compile(schema)
  return (value) => {
    refuseHostile(value, '')
    const read = reads === 'text' ? coerce(schema, value) : value
    if (!validator.Check(read)) throw refusal(validator.Errors(read) as unknown as Problem[])
    return read
  }
}

/** Deeper values are no honest request, and would exhaust the stack of whatever walks them. */
const maxDepth = 32

/** PostgreSQL can store neither U+0000 nor half a character, and no name, path or address may hold them. */
function refuseHostile(value: unknown, path: string, depth = 0): void {
  if (depth > maxDepth) throw refusal([plainProblem(path, 'is nested too deeply')])
  if (typeof value === 'string') refuseHostileText(value, path)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    refuseHostileText(key, path)
    refuseHostile(item, `${path}/${pointerPart(key)}`, depth + 1)
  }
}

function refuseHostileText(text: string, path: string): void {
  if (text.includes('\0')) throw refusal([plainProblem(path, 'must not contain NUL')])
  if (!text.isWellFormed()) throw refusal([plainProblem(path, 'must not contain half a surrogate pair')])
}

/** As JSON pointers (RFC 6901) name a key. */
function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function plainProblem(instancePath: string, message: string): Problem {
  return { keyword: 'hostile', instancePath: instancePath.slice(0, 200), params: {}, message }
}

function refusal(problems: readonly Problem[]): AppError {
  const fields: Record<string, string[]> = {}
  for (const problem of problems) {
    for (const [field, message] of messagesOf(problem)) addMessage(fields, field, message)
  }
  if (Object.keys(fields).length === 0) fields['base'] = ['is not what is expected here']
  const text = Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(', ')}`)
  return new AppError('invalid', `Validation failed: ${text.join('; ')}`, { fields })
}

function addMessage(fields: Record<string, string[]>, field: string, message: string): void {
  const messages = Object.hasOwn(fields, field) ? (fields[field] as string[]) : []
  if (!messages.includes(message)) messages.push(message)
  Object.defineProperty(fields, field, { value: messages, enumerable: true, configurable: true, writable: true })
}

function messagesOf({ keyword, instancePath, params, message }: Problem): [field: string, message: string][] {
  const { requiredProperties, additionalProperties, allowedValues, type } = params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return (requiredProperties as string[]).map((name) => [
        fieldName(`${instancePath}/${pointerPart(name)}`),
        'is missing',
      ])
    case 'additionalProperties':
      return (additionalProperties as string[]).map((name) => [
        fieldName(`${instancePath}/${pointerPart(name)}`),
        'is not known here',
      ])
    case 'enum':
      return [[fieldName(instancePath), `must be one of ${(allowedValues as unknown[]).join(', ')}`]]
    case 'anyOf':
    case 'boolean':
      return [] // the problems inside the branches are told already
    case 'type':
      return type === 'null' ? [] : [[fieldName(instancePath), wrongType(type)]]
    default:
      return [[fieldName(instancePath), message]]
  }
}

function wrongType(type: unknown): string {
  switch (type) {
    case 'boolean':
      return 'must be one of true, false, 1, 0'
    case 'integer':
    case 'number':
      return 'must be a number'
    default:
      return `must be ${type === 'array' || type === 'object' ? 'an' : 'a'} ${type}`
  }
}

/** `/uploads/0/id` is shown as `uploads[0].id`; the whole value as `base`. */
function fieldName(instancePath: string): string {
  const [first, ...rest] = instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (first === undefined || first === '') return 'base'
  return rest.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`), first)
}
