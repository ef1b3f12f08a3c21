import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TString, Type } from 'typebox'
import { AppError } from '../../platform/errors.ts'
import { endpoint, type Route, route } from '../../platform/http/endpoint.ts'
import { RawReply } from '../../platform/http/raw-reply.ts'
import { defaultSymbols, plainSymbolId, theme } from './default-symbols.ts'

interface Symbol {
  readonly svg: string
  readonly width: number
  readonly height: number
}

const tag = 'Symbols'
const Dimensions = Type.Object({ width: Type.Integer(), height: Type.Integer() })

/** Ids have slashes in them, which some clients escape and others do not. */
const addresses = [
  { path: '/v2/symbols/{symbol_id}', idOf: ({ symbol_id = '' }: Record<string, string>) => symbol_id },
  { path: '/v2/symbols/:/symbols/{name}', idOf: ({ name = '' }: Record<string, string>) => `:/symbols/${name}` },
  {
    path: '/v2/symbols/:/symbols/{theme}/{name}',
    idOf: ({ theme = '', name = '' }: Record<string, string>) => `:/symbols/${theme}/${name}`,
  },
] as const

const list = endpoint({
  method: 'GET',
  path: '/v2/symbols',
  status: 200,
  summary: 'List the pictures of nodes',
  tag,
  reply: Type.Array(Type.Object({ symbol_id: Type.String(), filename: Type.String(), builtin: Type.Boolean() })),
})

const defaults = endpoint({
  method: 'GET',
  path: '/v2/default_symbols',
  status: 200,
  summary: 'Show which pictures are for what',
  tag,
})

/** The pictures of nodes on a map. */
export function symbolRoutes(): Route[] {
  const symbols = readSymbols()
  const find = (id: string): Symbol => {
    const symbol = symbols.get(plainSymbolId(id))
    if (symbol === undefined) throw new AppError('not_found', `Symbol ID ${id} doesn't exist`)
    return symbol
  }
  return [
    route(list, () => [...symbols.keys()].map(presentSymbol)),
    route(defaults, defaultSymbols),
    ...addresses.flatMap(({ path, idOf }) => [
      route(rawEndpoint(path), ({ params }) => svgReply(find(idOf(params)).svg)),
      route(dimensionsEndpoint(path), ({ params }) => {
        const { width, height } = find(idOf(params))
        return { width, height }
      }),
      route(uploadEndpoint(path), () => {
        throw new AppError('forbidden', 'Cannot add or change symbols: this server has its own')
      }),
    ]),
  ]
}

function rawEndpoint(path: string) {
  const summary = 'Show the picture of a node'
  return endpoint({ method: 'GET', path: `${path}/raw`, status: 200, summary, tag, params: paramsOf(path) })
}

function uploadEndpoint(path: string) {
  const summary = 'Refused: the pictures are those of this server'
  const params = paramsOf(path)
  return endpoint({ method: 'POST', path: `${path}/raw`, status: 204, summary, tag, params, streamsBody: true })
}

function dimensionsEndpoint(path: string) {
  const summary = 'Show the size of a picture'
  const params = paramsOf(path)
  return endpoint({ method: 'GET', path: `${path}/dimensions`, status: 200, summary, tag, params, reply: Dimensions })
}

function paramsOf(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const properties: Record<string, TString> = Object.fromEntries(names.map((name) => [name, Type.String()]))
  return Type.Object(properties)
}

function readSymbols(): ReadonlyMap<string, Symbol> {
  const folder = join(import.meta.dirname, 'svg')
  const names = readdirSync(folder).toSorted()
  return new Map(names.map((name) => [`:/symbols/${name}`, toSymbol(readFileSync(join(folder, name), 'utf8'))]))
}

function toSymbol(svg: string): Symbol {
  const [, width = '0', height = '0'] = /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(svg) ?? []
  return { svg, width: Number(width), height: Number(height) }
}

function presentSymbol(id: string): object {
  return { symbol_id: id, filename: id.slice(':/symbols/'.length), builtin: true, theme }
}

function svgReply(svg: string): RawReply {
  return new RawReply({
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'cache-control': 'max-age=3600',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    },
    body: svg,
  })
}
