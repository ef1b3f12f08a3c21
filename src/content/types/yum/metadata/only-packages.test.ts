import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { onlyPackages } from './only-packages.ts'
import { readFilelists } from './read-fragments.ts'

const idOf = (number: number) => number.toString(16).padStart(64, '0')
const packageOf = (number: number) =>
  `<package pkgid="${idOf(number)}" name="p${number}" arch="noarch"><file>/é/${number}</file></package>\n`
const listOf = (numbers: readonly number[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<filelists xmlns="http://linux.duke.edu/metadata/filelists" packages="9">\n${numbers.map(packageOf).join('')}</filelists>\n`

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function only(text: string, wanted: readonly number[], size = 65_536): Promise<string> {
  const ids = new Set(wanted.map(idOf))
  const pieces = onlyPackages(inPieces(text, size), (pkgid) => ids.has(pkgid), 'filelists.xml')
  return String(Buffer.concat(await Array.fromAsync(pieces)))
}

describe('onlyPackages()', () => {
  it('leaves a list of the wanted packages, wherever it is cut', async () => {
    const text = listOf([1, 2, 3, 4, 5])
    for (const size of [1, 2, 3, 7, 50, 1000]) {
      const left = await only(text, [2, 5], size)
      const fragments = (await Array.fromAsync(readFilelists(inPieces(left, size)))).flatMap(({ packages }) => packages)
      assert.deepEqual(
        fragments.map(({ pkgid, inner }) => [pkgid, inner]),
        [2, 5].map((number) => [idOf(number), `<file>/é/${number}</file>`]),
      )
    }
  })

  it('leaves an empty list when none is wanted, or there', async () => {
    for (const text of [listOf([1, 2]), listOf([])]) {
      const batches = await Array.fromAsync(readFilelists(inPieces(await only(text, []), 9)))
      assert.deepEqual(
        batches.flatMap(({ packages }) => packages),
        [],
      )
    }
  })

  it('leaves what is broken for whoever reads the rest', async () => {
    const broken = listOf([1, 2]).replace('</filelists>', '')
    await assert.rejects(Array.fromAsync(readFilelists(inPieces(await only(broken, [1]), 9))), { code: 'upstream' })
  })

  it('refuses a package without end before the memory is full', async () => {
    const endless = async function* () {
      yield Buffer.from('<filelists><package pkgid="00">')
      const piece = Buffer.alloc(1024 * 1024, 'x')
      for (;;) yield piece
    }
    const pieces = onlyPackages(endless(), () => true, 'filelists.xml')
    await assert.rejects(Array.fromAsync(pieces), { code: 'upstream', message: /more than \d+ bytes/ })
  })
})
