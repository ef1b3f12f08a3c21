import {
  parseDatabaseUrl,
  parseId,
  parseListen,
  parseOneOf,
  parseOrigins,
  parsePath,
  parsePortRange,
  parseRoles,
  parseStorage,
  parseText,
  parseUrl,
} from './config-parsers.ts'
import type { LogLevel } from './platform/log.ts'

export interface Option<T> {
  readonly name: `BACKHAUL_${string}`
  /** Gives the value, or `undefined` when the text cannot be one. */
  readonly parse: (text: string) => T | undefined
  /** What `parse` is given when the variable is not set; absent = the option stays undefined. */
  readonly fallback?: string
  /** A secret may also be given as the path of a file in `<name>_FILE`. */
  readonly secret?: true
  readonly form: string
  readonly summary: string
  readonly defaultWords?: string
}

function option<T>(definition: Option<T> & { readonly fallback: string }): Option<T> & { readonly fallback: string }
function option<T>(definition: Option<T>): Option<T>
function option<T>(definition: Option<T>): Option<T> {
  return definition
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const satisfies readonly LogLevel[]

/** Every variable that Backhaul reads. `readConfig`, the README's table and `--help` are all made from this. */
export const options = {
  data: option({
    name: 'BACKHAUL_DATA',
    parse: parsePath,
    fallback: './backhaul-data',
    form: 'folder',
    summary: 'Where everything is kept: database, blobs, keys.',
  }),
  apiListen: option({
    name: 'BACKHAUL_API_LISTEN',
    parse: parseListen,
    fallback: '127.0.0.1:3080',
    form: '`host:port`',
    summary: 'Where both APIs and the documentation are served; port 0 picks a free one.',
  }),
  contentListen: option({
    name: 'BACKHAUL_CONTENT_LISTEN',
    parse: parseListen,
    fallback: '127.0.0.1:8080',
    form: '`host:port`',
    summary: 'Where published repositories are served; port 0 picks a free one.',
  }),
  contentUrl: option({
    name: 'BACKHAUL_CONTENT_URL',
    parse: parseUrl,
    form: 'URL',
    summary: 'How package clients reach the content listener.',
    defaultWords: 'the bound address',
  }),
  adminPassword: option({
    name: 'BACKHAUL_ADMIN_PASSWORD',
    parse: parseText,
    secret: true,
    form: 'text',
    summary: 'Password of `admin` at the first start.',
    defaultWords: 'a random one, written to `<data>/admin-password`',
  }),
  secretKey: option({
    name: 'BACKHAUL_SECRET_KEY',
    parse: parseText,
    secret: true,
    form: 'text',
    summary: 'Encrypts stored secrets. All processes that share a database need the same.',
    defaultWords: 'a key made in `<data>/secret-key`',
  }),
  databaseUrl: option({
    name: 'BACKHAUL_DATABASE_URL',
    parse: parseDatabaseUrl,
    secret: true,
    form: 'PostgreSQL URL',
    summary: 'A PostgreSQL 15 to 18 to use.',
    defaultWords: 'an embedded one',
  }),
  storage: option({
    name: 'BACKHAUL_STORAGE',
    parse: parseStorage,
    fallback: 'file',
    form: '`file`',
    summary: 'Where blobs are kept: `file` is the folder `<data>/blobs`.',
  }),
  roles: option({
    name: 'BACKHAUL_ROLES',
    parse: parseRoles,
    fallback: 'api,content,worker,links',
    form: 'list of `api`, `content`, `worker`, `links`',
    summary: 'What this process does.',
  }),
  consolePorts: option({
    name: 'BACKHAUL_CONSOLE_PORTS',
    parse: parsePortRange,
    fallback: '5000-9999',
    form: '`first-last`',
    summary: 'TCP ports that consoles of nodes are given; servers on one machine want ranges of their own.',
  }),
  httpProxyId: option({
    name: 'BACKHAUL_HTTP_PROXY_ID',
    parse: parseId,
    form: 'number',
    summary: 'The HTTP proxy that repositories use by default, until another is set through the API.',
    defaultWords: 'none',
  }),
  fetchDeny: option({
    name: 'BACKHAUL_FETCH_DENY',
    parse: parseOneOf(['none', 'private'] as const),
    fallback: 'none',
    form: '`none` or `private`',
    summary: '`private` refuses upstreams on private, loopback and link-local addresses.',
  }),
  webUiFolder: option({
    name: 'BACKHAUL_WEB_UI_DIR',
    parse: parsePath,
    form: 'folder',
    summary: 'A web page for labs, such as the one of GNS3, that is served at `/static/web-ui/`.',
    defaultWords: 'none is served',
  }),
  corsOrigins: option({
    name: 'BACKHAUL_CORS_ORIGINS',
    parse: parseOrigins,
    fallback: '',
    form: 'list of origins',
    summary: 'Web origins whose pages may call the API; `*` allows all.',
    defaultWords: 'none',
  }),
  tlsCertificate: option({
    name: 'BACKHAUL_TLS_CERT',
    parse: parsePath,
    form: 'file',
    summary: 'PEM certificate chain; with `BACKHAUL_TLS_KEY` both listeners speak HTTPS.',
  }),
  tlsKey: option({
    name: 'BACKHAUL_TLS_KEY',
    parse: parsePath,
    form: 'file',
    summary: 'PEM private key.',
  }),
  logLevel: option({
    name: 'BACKHAUL_LOG_LEVEL',
    parse: parseOneOf(logLevels),
    fallback: 'info',
    form: logLevels.join(', '),
    summary: 'What is logged, as JSON lines on standard error.',
  }),
} as const
