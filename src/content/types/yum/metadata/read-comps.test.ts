import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { readComps } from './read-comps.ts'

const group = `<group><id>g</id><name>G</name><name xml:lang="de">Gruppe</name><description>D</description><default>true</default>
  <uservisible>false</uservisible><display_order>12</display_order><langonly>de</langonly><packagelist>
  <packagereq type="mandatory">a</packagereq><packagereq type="conditional" requires="c" arch="x86_64" basearchonly="true">b</packagereq>
  <packagereq>d</packagereq></packagelist></group>`
const category =
  '<category><id>c</id><name>C</name><description/><grouplist><groupid>g</groupid><groupid>h</groupid></grouplist></category>'
const environment =
  '<environment><id>e</id><name>E</name><grouplist><groupid>g</groupid></grouplist><optionlist><groupid default="true">o</groupid><groupid>p</groupid></optionlist></environment>'
const langpacks = '<langpacks><match install="fonts-%s" name="fonts"/></langpacks>'
const doctype = '<!DOCTYPE comps PUBLIC "-//Red Hat, Inc.//DTD Comps info//EN" "comps.dtd">'
const list = (...parts: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${doctype}\n<comps>${parts.join('\n')}</comps>`

async function read(text: string) {
  async function* pieces() {
    yield Buffer.from(text)
  }
  return readComps(pieces())
}

describe('readComps()', () => {
  it('gives groups, categories, environments and language packs', async () => {
    const name = (text: string) => ({ text, translations: new Map() })
    const order = { displayOrder: undefined }
    const requirement = { requires: '', arch: '', isBaseArchOnly: false }

    assert.deepEqual(await read(list(group, category, environment, langpacks)), {
      groups: [
        {
          id: 'g',
          name: { text: 'G', translations: new Map([['de', 'Gruppe']]) },
          description: name('D'),
          displayOrder: 12,
          source: group,
          isDefault: true,
          isUserVisible: false,
          isBiarchOnly: false,
          langOnly: 'de',
          packages: [
            { name: 'a', type: 'mandatory', ...requirement },
            { name: 'b', type: 'conditional', requires: 'c', arch: 'x86_64', isBaseArchOnly: true },
            { name: 'd', type: 'mandatory', ...requirement },
          ],
        },
      ],
      categories: [
        { id: 'c', name: name('C'), description: name(''), ...order, source: category, groupIds: ['g', 'h'] },
      ],
      environments: [
        {
          id: 'e',
          name: name('E'),
          description: name(''),
          ...order,
          source: environment,
          groupIds: ['g'],
          options: [
            { groupId: 'o', isDefault: true },
            { groupId: 'p', isDefault: false },
          ],
        },
      ],
      langpacks: [{ name: 'fonts', install: 'fonts-%s' }],
      langpackSources: [langpacks],
    })
  })

  it('takes an empty list, and what it does not know', async () => {
    assert.deepEqual((await read(list('<blacklist/>'))).groups, [])
  })

  it('refuses a group without id or with one that is there, and every beginning', async () => {
    for (const text of [list('<group/>'), list(group, group), list(category, category), '<html/>'])
      await assert.rejects(read(text), { code: 'upstream', message: /^Cannot read comps\.xml: / })
    const text = list(group, environment, langpacks)
    for (let length = 0; length < text.length; length += 3) await assert.rejects(read(text.slice(0, length)), AppError)
  })
})
