import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { Actor } from '../auth/actor.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A field of a search: its name with its type, or with the only values that it has. */
export type SearchFieldNote =
  | { readonly name: string; readonly type: string }
  | { readonly name: string; readonly values: readonly string[] }

/**
 * What a request may carry and what it gets back. Checks, types, the OpenAPI description and the API's clients
 * are all made from this one value.
 */
export interface EndpointDefinition<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly method: Method
  /** Path variables in braces: `/v2/projects/{project_id}`; `{path...}` at the end takes all that follows. */
  readonly path: string
  readonly status: number
  /** One line for the documentation. */
  readonly summary: string
  readonly tag: string
  /** Katello's names of the resource and its method, as its clients call it: `repositories.index`; see apidoc.ts. */
  readonly action?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The shape of the answer, for the documentation and for clients. */
  readonly reply?: TSchema
  /** `public` needs no login. */
  readonly access?: 'public' | 'user'
  /** What happens to top-level keys of the body that `body` does not name; the default is `drop`. */
  readonly unknownKeys?: 'drop' | 'refuse'
  /** The body may also come wrapped under this key: `{"repository": {…}}`. */
  readonly wrapper?: string
  readonly bodyLimitBytes?: number
  /** The body is bytes of any kind, which the handler takes from `upload` as they come. */
  readonly streamsBody?: boolean
  /** The fields of the form that a streamed body may be, for the documentation: nobody checks them. */
  readonly form?: TObject
  /** What the lists of this endpoint's resource can be searched by, for the documentation. */
  readonly searchFields?: readonly SearchFieldNote[]
}

export type Endpoint<P extends TObject = TObject, Q extends TObject = TObject, B extends TSchema = TSchema> = Readonly<
  EndpointDefinition<P, Q, B>
>

// biome-ignore lint/complexity/noBannedTypes: `{}` is "no variables", as TypeBox infers it
type None = TObject<{}>

export function endpoint<P extends TObject = None, Q extends TObject = None, B extends TSchema = None>(
  definition: EndpointDefinition<P, Q, B>,
): Endpoint<P, Q, B> {
  return Object.freeze(definition)
}

/** A checked request. */
export interface Call<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly params: Static<P>
  readonly query: Static<Q>
  readonly body: Static<B>
  /** Where the body is streamed. */
  readonly upload: AsyncIterable<Uint8Array>
  readonly actor: Actor
  /** Aborts when the caller goes away or the server stops. */
  readonly signal: AbortSignal
  /** Aborts when the caller goes away, and already when the server begins to stop: for answers that would never end. */
  readonly stopping: AbortSignal
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export interface Route {
  readonly endpoint: Endpoint
  // biome-ignore lint/suspicious/noExplicitAny: the list of routes forgets each one's own types; `route` has checked them
  readonly handler: (call: any) => unknown
}

/** Joins an endpoint with what answers it: the value that `handler` gives is the JSON body. */
export function route<P extends TObject, Q extends TObject, B extends TSchema>(
  definition: Endpoint<P, Q, B>,
  handler: (call: Call<P, Q, B>) => unknown,
): Route {
  return { endpoint: definition as unknown as Endpoint, handler }
}
