import { readFileSync, statSync } from 'node:fs'
import { type Option, options } from './config-options.ts'
import { AppError, messageOf } from './platform/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Options = typeof options
type Fallback<O> = O extends { readonly fallback: string } ? never : undefined
type ValueOf<O> = O extends Option<infer T> ? T : never

/** What the program was told, checked and complete. A part is given its slice, never the whole. */
export type Config = { readonly [K in keyof Options]: ValueOf<Options[K]> | Fallback<Options[K]> }

/**
 * Turns environment variables into the configuration.
 *
 * @throws AppError `invalid` that lists every problem there is, not only the first
 */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const entries = Object.entries(options).map(([key, option]) => [key, readOption(option, env, problems)] as const)
  const config = Object.freeze(Object.fromEntries(entries)) as Config
  problems.push(...unknownNames(env), ...contradictions(config), ...missingFolders(config))
  if (problems.length > 0) throw new AppError('invalid', `Cannot start:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
  return config
}

function readOption(option: Option<unknown>, env: Environment, problems: string[]): unknown {
  const text = readText(option, env, problems) ?? option.fallback
  if (text === undefined) return undefined
  const value = option.parse(text)
  if (value === undefined) {
    const shown = option.secret ? '' : ` "${text}"`
    problems.push(`${option.name} cannot be${shown || ' what it is'}: it is a ${option.form.replaceAll('`', '')}`)
  }
  return value
}

function readText(option: Option<unknown>, env: Environment, problems: string[]): string | undefined {
  const file = option.secret === true ? env[`${option.name}_FILE`] : undefined
  if (file === undefined) return env[option.name]
  if (env[option.name] !== undefined) problems.push(`${option.name} and ${option.name}_FILE are both set: use one`)
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    problems.push(`${option.name}_FILE cannot be read: ${messageOf(error)}`)
    return undefined
  }
}

/** A misspelt variable would otherwise be a setting that silently does nothing. */
function unknownNames(env: Environment): string[] {
  const known = new Set<string>(clientNames)
  for (const option of Object.values<Option<unknown>>(options)) {
    known.add(option.name)
    if (option.secret === true) known.add(`${option.name}_FILE`)
  }
  return Object.keys(env)
    .filter((name) => name.startsWith('BACKHAUL_') && !known.has(name))
    .map((name) => `${name} is not a setting of Backhaul`)
}

/** Read by the command line's client, which may share an environment with the server. */
const clientNames = ['BACKHAUL_URL', 'BACKHAUL_USER', 'BACKHAUL_PASSWORD', 'BACKHAUL_TOKEN']

function contradictions(config: Config): string[] {
  const problems: string[] = []
  if ((config.tlsCertificate === undefined) !== (config.tlsKey === undefined)) {
    problems.push('BACKHAUL_TLS_CERT and BACKHAUL_TLS_KEY must be set together')
  }
  if (isSameAddress(config)) problems.push('BACKHAUL_API_LISTEN and BACKHAUL_CONTENT_LISTEN must not be the same')
  if (config.adminPassword !== undefined && config.adminPassword.length < 8) {
    problems.push('BACKHAUL_ADMIN_PASSWORD must have at least 8 characters')
  }
  if (config.secretKey !== undefined && config.secretKey.length < 16) {
    problems.push('BACKHAUL_SECRET_KEY must have at least 16 characters')
  }
  return problems
}

function missingFolders({ webUiFolder }: Config): string[] {
  if (webUiFolder === undefined || isFolder(webUiFolder)) return []
  return [`BACKHAUL_WEB_UI_DIR cannot be "${webUiFolder}": there is no such folder`]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function isSameAddress({ apiListen, contentListen, roles }: Config): boolean {
  if (apiListen === undefined || contentListen === undefined || roles === undefined) return false // a problem already
  const isSame = apiListen.host === contentListen.host && apiListen.port === contentListen.port
  return isSame && apiListen.port !== 0 && roles.has('api') && roles.has('content')
}
