// `npm run docs`: writes the parts of the documents that are made from the code.
import { readFile, writeFile } from 'node:fs/promises'
import { withSettingsTable } from './settings-table.ts'
import { specificationPage } from './specification-table.ts'

const readme = new URL('../README.md', import.meta.url)
await writeFile(readme, withSettingsTable(await readFile(readme, 'utf8')))
await writeFile(new URL('../docs/content/specification.md', import.meta.url), specificationPage())
