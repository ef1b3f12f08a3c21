import { type Option, options } from '../src/config-options.ts'

const begin = '<!-- settings: written by `npm run docs`, held by a test -->'
const end = '<!-- /settings -->'

/** The README with its table of settings as `readConfig` knows them. */
export function withSettingsTable(readme: string): string {
  const before = readme.slice(0, readme.indexOf(begin) + begin.length)
  return `${before}\n${settingsTable()}\n${readme.slice(readme.indexOf(end))}`
}

function settingsTable(): string {
  const rows = Object.values<Option<unknown>>(options).map(({ name, form, fallback, defaultWords, summary }) => {
    const standard = defaultWords ?? (fallback === undefined || fallback === '' ? 'none' : `\`${fallback}\``)
    return `| \`${name}\` | ${form} | ${standard} | ${summary} |`
  })
  return ['| variable | form | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}
