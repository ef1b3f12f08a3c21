import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A file by its path below `src`. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Files that match `in` import nothing of ours but what matches one of `may`, themselves included. */
export interface FolderRule {
  readonly in: RegExp
  readonly may: readonly RegExp[]
  readonly why: string
}

/** A package is imported by nobody but files that match. */
export interface PackageRule {
  readonly package: string
  readonly onlyIn: RegExp
}

/** What matches `text` stands in no file of `in` but those of `onlyIn`. */
export interface TextRule {
  readonly what: string
  readonly text: RegExp
  readonly in: RegExp
  readonly onlyIn: RegExp
}

export interface Rules {
  readonly folders: readonly FolderRule[]
  readonly packages: readonly PackageRule[]
  readonly texts: readonly TextRule[]
  readonly maxLines: number
}

/** Every TypeScript file of a folder; tests and what only tests use are left out. */
export function readSources(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/(^|\/)test-[^/]+$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/** What a file imports, statically, for its types only, or when it runs. */
export function importsOf(text: string): string[] {
  const found = text.matchAll(/\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g)
  return [...found].map(([, from, direct]) => from ?? direct ?? '')
}

/** One line for everything that breaks a rule. */
export function findViolations(sources: readonly Source[], rules: Rules): string[] {
  return sources.flatMap((source) => [
    ...rules.folders.flatMap((rule) => badImports(source, rule)),
    ...rules.packages.flatMap((rule) => badPackage(source, rule)),
    ...rules.texts.flatMap((rule) => badText(source, rule)),
    ...tooLong(source, rules.maxLines),
  ])
}

function badImports({ path, text }: Source, rule: FolderRule): string[] {
  const place = rule.in.exec(path)
  if (place === null) return []
  const isAllowed = (target: string) => rule.may.some((pattern) => pattern.test(target)) || target.startsWith(place[0])
  return importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name))
    .filter((target) => !isAllowed(target))
    .map((target) => `${path} imports ${target}: ${rule.why}`)
}

function badPackage({ path, text }: Source, rule: PackageRule): string[] {
  if (rule.onlyIn.test(path)) return []
  return importsOf(text)
    .filter((name) => name === rule.package || name.startsWith(`${rule.package}/`))
    .map((name) => `${path} imports the package ${name}: that is for ${rule.onlyIn.source}`)
}

function badText({ path, text }: Source, rule: TextRule): string[] {
  if (!rule.in.test(path) || rule.onlyIn.test(path) || !rule.text.test(text)) return []
  return [`${path} ${rule.what}: that is for ${rule.onlyIn.source}`]
}

function tooLong({ path, text }: Source, maxLines: number): string[] {
  const lines = text.trimEnd().split('\n').length
  return lines > maxLines ? [`${path} has ${lines} lines: ${maxLines} are the limit`] : []
}
