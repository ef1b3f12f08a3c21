import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { withSettingsTable } from '../scripts/settings-table.ts'

describe('the README', () => {
  it('lists the settings that readConfig() reads; `npm run docs` writes them', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

    assert.equal(readme, withSettingsTable(readme))
  })
})
