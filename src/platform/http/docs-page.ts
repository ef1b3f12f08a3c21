import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'

/** The reference page at `/docs`: static HTML made from the endpoints, no script, nothing fetched from elsewhere. */
export function docsPage(endpoints: readonly Endpoint[], version: string): string {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const contents = tags.map((tag) => `<li><a href="#${anchor(tag)}">${escapeHtml(tag)}</a></li>`).join('')
  const sections = tags
    .map((tag) =>
      section(
        tag,
        endpoints.filter((endpoint) => endpoint.tag === tag),
      ),
    )
    .join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Backhaul ${escapeHtml(version)} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><h1>Backhaul API</h1><p>Version ${escapeHtml(version)}. Machine readable: <a href="/docs/openapi.json">openapi.json</a>.
Log in with HTTP Basic (a personal token works as the password) or <code>Authorization: Bearer &lt;token&gt;</code>.</p>
<nav><ul>${contents}</ul></nav>
${sections}
</body></html>
`
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; background: #fff }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0 }
details { border: 1px solid #d5dde5; border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem }
summary { cursor: pointer } summary code { font-size: 1rem } summary span { color: #51606e; margin-left: .6rem }
.method { display: inline-block; width: 4.2rem; font-weight: 600; color: #0b5cad }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 } th, td { text-align: left; padding: .25rem .6rem; border-top: 1px solid #e4eaf0; vertical-align: top }
@media (prefers-color-scheme: dark) { body { background: #12181f; color: #dfe6ee } details { border-color: #334150 } th, td { border-color: #26313c } .method, a { color: #7cb8f7 } summary span { color: #9aa9b8 } }
`

function section(tag: string, endpoints: readonly Endpoint[]): string {
  return `<h2 id="${anchor(tag)}">${escapeHtml(tag)}</h2>\n${endpoints.map(entry).join('\n')}`
}

function entry(endpoint: Endpoint): string {
  const { method, path, summary, status, access } = endpoint
  const rows = [
    ...rowsOf('path', endpoint.params),
    ...rowsOf('query', endpoint.query),
    ...rowsOf('body', endpoint.body),
  ]
  const table =
    rows.length === 0
      ? ''
      : `<table><tr><th>in</th><th>name</th><th>form</th><th>meaning</th></tr>${rows.join('')}</table>`
  const login = access === 'public' ? ' Needs no login.' : ''
  return `<details><summary><span class="method">${method}</span><code>${escapeHtml(path)}</code><span>${escapeHtml(summary)}</span></summary>
<p>Answers ${status}.${login}</p>${table}</details>`
}

function rowsOf(place: string, schema: TSchema | undefined): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const cells = [place, `${name}${required.includes(name) ? ' *' : ''}`, form(property), property.description ?? '']
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
  })
}

function form(schema: object): string {
  const {
    type,
    enum: values,
    anyOf,
    items,
  } = schema as { type?: string; enum?: unknown[]; anyOf?: object[]; items?: object }
  if (values !== undefined) return values.map(String).join(', ')
  if (anyOf !== undefined) return anyOf.map(form).join(' or ')
  if (type === 'array' && items !== undefined) return `list of ${form(items)}`
  return type ?? 'any'
}

function anchor(tag: string): string {
  return encodeURIComponent(tag.toLowerCase().replaceAll(' ', '-'))
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
