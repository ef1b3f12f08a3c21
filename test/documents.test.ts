import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withSettingsTable } from '../scripts/settings-table.ts'
import { readConfig } from '../src/config.ts'

const root = new URL('../', import.meta.url)

async function listDocuments(): Promise<string[]> {
  const found = await Array.fromAsync(glob(['*.md', 'docs/**/*.md'], { cwd: fileURLToPath(root) }))
  return found.sort()
}

describe('a document', async () => {
  for (const name of await listDocuments()) {
    it(`leads only to what is there: ${name}`, async () => {
      const text = await readFile(new URL(name, root), 'utf8')
      const targets = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target)

      const missing = targets.filter((target) => !existsSync(new URL(target, new URL(name, root))))

      assert.deepEqual(missing, [])
    })
  }
})

describe('the page on several processes', () => {
  it('says of every role what it does', async () => {
    const page = await readFile(new URL('docs/several-processes.md', root), 'utf8')
    const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, role]) => role)

    assert.deepEqual(listed, [...readConfig({}).roles])
  })
})

describe('the README', () => {
  it('lists the settings that readConfig() reads; `npm run docs` writes them', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

    assert.equal(readme, withSettingsTable(readme))
  })
})
