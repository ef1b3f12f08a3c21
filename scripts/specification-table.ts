import { type SpecificationRow, specification } from '../test/conformance/specification.ts'

/** The page that says by which tests each row of the specification is held. */
export function specificationPage(): string {
  const tables = specification.map(({ title, rows }) => `## ${title}\n\n${table(rows)}\n`)
  return `# The repository interface, row by row

Every operation, parameter, search field and attribute of the interface, with the tests that hold it. What is "with the type" is
accepted, checked, stored and shown already; what it does comes with the type's own work. Written by \`npm run docs\`; a test
holds that the page is up to date, that the tests exist, and that every row is known to the endpoints.

${tables.join('\n')}`
}

function table(rows: readonly SpecificationRow[]): string {
  const lines = rows.map(({ what, tests, withType }) => {
    return `| \`${what}\` | ${tests.join('<br>')} | ${withType === undefined ? '' : `with the type \`${withType}\``} |`
  })
  return ['| | tests | |', '|---|---|---|', ...lines].join('\n')
}
