import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type HeaderValue, leastMain, rpmBytes } from '../../../../../test/support/rpm-bytes.ts'
import { describeApart } from './describe-apart.ts'
import { describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders } from './read-rpm-headers.ts'

const file = { sizeBytes: 1, fileTime: 2 }

function headersOf(...main: readonly HeaderValue[]) {
  return parseRpmHeaders(rpmBytes({ signature: [[1000, 4, [1]]], main: [...leastMain, ...main] }))
}

const names = Array.from({ length: 50_000 }, (_, at) => `a-file-with-a-name-${at}`)
const manyFiles: readonly HeaderValue[] = [
  [1116, 4, Array(names.length).fill(0)],
  [1117, 8, names],
  [1118, 8, ['/usr/share/many/']],
]

describe('describeApart()', () => {
  it('says of small and of large packages what describeRpm() says', async () => {
    for (const headers of [headersOf(), headersOf(...manyFiles)]) {
      const { fields, fragments } = describeRpm(headers, file)
      assert.deepEqual({ ...(await describeApart(headers, file)) }.fields, fields)
      assert.deepEqual((await describeApart(headers, file)).fragments, fragments)
    }
  })

  it('leaves this thread free while a large one is described', async () => {
    const headers = headersOf(...manyFiles)
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    await describeApart(headers, file)
    clearInterval(timer)
    assert.ok(turns > 0)
  })

  it('refuses a large one in the words of describeRpm(), several at a time, and goes on', async () => {
    const broken = headersOf(...manyFiles, [1030, 3, [1, 2]])
    const ways = await Promise.allSettled([
      describeApart(broken, file),
      describeApart(headersOf(...manyFiles), file),
      describeApart(broken, file),
    ])
    const [first, , last] = ways as PromiseRejectedResult[]
    assert.equal(ways[1]?.status, 'fulfilled')
    assert.deepEqual([first?.reason.code, first?.reason.message], ['invalid', last?.reason.message])
    assert.match(first?.reason.message, /^Cannot read the package: 50000 files, but 2 modes/)
  })
})
