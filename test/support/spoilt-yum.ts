import { execFileSync } from 'node:child_process'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Answer, type MadeFiles, type MadePackage, type MadeRecord, madeFiles, madeLists } from './made-yum.ts'

interface Spoilt {
  readonly files?: MadeFiles
  readonly answer?: Answer
}

/** Makes something wrong of a repository with these packages; the last one is new. */
export type Spoil = (packages: readonly [MadePackage, MadePackage], url: string) => Spoilt

/** A repository of which one list is another. */
export const withList =
  (type: string, change: (record: MadeRecord, packages: readonly MadePackage[]) => Partial<MadeRecord>): Spoil =>
  (packages) => ({
    files: madeFiles(
      packages,
      madeLists(packages).map((each) => (each.type === type ? { ...each, ...change(each, packages) } : each)),
    ),
  })

export const withText = (type: string, change: (text: string, packages: readonly MadePackage[]) => string): Spoil =>
  withList(type, ({ text }, packages) => ({ text: change(String(text), packages) }))

/** A repository with another metadata file besides its lists. */
export const withRecord =
  (record: MadeRecord): Spoil =>
  (packages) => ({ files: madeFiles(packages, [...madeLists(packages), record]) })

export const withRepomd =
  (change: (text: string) => string): Spoil =>
  (packages) => {
    const files = madeFiles(packages)
    const text = String(files.get('repodata/repomd.xml'))
    return { files: files.set('repodata/repomd.xml', Buffer.from(change(text))) }
  }

const byProgram =
  (...[program, ...args]: readonly [string, ...string[]]) =>
  (input: Buffer) =>
    execFileSync(program, args, { input, maxBuffer: 2 ** 30 })

/** What makes a list smaller, by the name of the format. */
export const packers: Readonly<Record<string, (text: Buffer) => Buffer>> = {
  nothing: (text) => text,
  gzip: gzipSync,
  zstd: zstdCompressSync,
  xz: byProgram('xz', '-c', '-0'),
  bzip2: byProgram('bzip2', '-c'),
}
