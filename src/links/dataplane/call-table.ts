import { AppError, asAppError, type ErrorCode, type FieldMessages, messageOf } from '../../platform/errors.ts'

/** The calls that one side answers: by name, the parameters and the result. Both are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: any set of calls, whatever the parameters are
export type CallSet = { readonly [Name in string]: (parameters: any) => unknown }

export interface Call {
  readonly id: number
  readonly name: string
  readonly parameters: unknown
}

export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly fields?: FieldMessages
  /** What was thrown, when it was not meant to be seen. */
  readonly cause?: string
}

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }

export type Parameters1<Calls extends CallSet, Name extends keyof Calls> = Parameters<Calls[Name]>[0]

export type Result<Calls extends CallSet, Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** The calls on their way to another thread or process, until their replies come. */
export class CallTable<Calls extends CallSet> {
  readonly #post: (call: Call) => void
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor(post: (call: Call) => void) {
    this.#post = post
  }

  call<Name extends keyof Calls & string>(
    name: Name,
    parameters: Parameters1<Calls, Name>,
  ): Promise<Result<Calls, Name>> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject })
      this.#post({ id, name, parameters })
    })
  }

  settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('failure' in reply) pending?.reject(fromFailure(reply.failure))
    else pending?.resolve(reply.result)
  }

  /** Rejects all calls that have no reply yet: there will be none. */
  abandon(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }
}

/** Makes a call on this side. Never throws: what is thrown becomes the reply. */
export async function answer(calls: CallSet, call: Call): Promise<Reply> {
  try {
    return { id: call.id, result: await calls[call.name]?.(call.parameters) }
  } catch (error) {
    return { id: call.id, failure: toFailure(error) }
  }
}

/** As `answer`, for a thread that never returns to its event loop: nothing it calls may be asynchronous. */
export function answerNow(calls: CallSet, call: Call): Reply {
  try {
    return { id: call.id, result: calls[call.name]?.(call.parameters) }
  } catch (error) {
    return { id: call.id, failure: toFailure(error) }
  }
}

function toFailure(thrown: unknown): Failure {
  const { code, message, fields, cause } = asAppError(thrown)
  return {
    code,
    message,
    ...(fields === undefined ? {} : { fields }),
    ...(cause === undefined ? {} : { cause: messageOf(cause) }),
  }
}

function fromFailure({ code, message, fields, cause }: Failure): AppError {
  return new AppError(code, message, {
    ...(fields === undefined ? {} : { fields }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  })
}
