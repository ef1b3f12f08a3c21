import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A folder that is an upstream for file repositories: its manifest is made by sha256sum. */
export class FileRepository {
  readonly folder: string
  readonly #names = new Set<string>()

  constructor(folder: string) {
    this.folder = folder
  }

  get names(): string[] {
    return [...this.#names].sort()
  }

  async add(name: string, content: Uint8Array | string = randomBytes(1000)): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true })
    await writeFile(join(this.folder, name), content)
    this.#names.add(name)
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name))
    this.#names.delete(name)
  }

  async read(name: string): Promise<Buffer> {
    return readFile(join(this.folder, name))
  }

  /** Writes PULP_MANIFEST for what is there now. */
  async writeManifest(): Promise<void> {
    const sums = execFileSync('sha256sum', ['--', ...this.names], {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    const digests = new Map(
      sums
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    )
    const lines = await Promise.all(
      this.names.map(async (name) => `${name},${digests.get(name)},${(await stat(join(this.folder, name))).size}\n`),
    )
    await writeFile(join(this.folder, 'PULP_MANIFEST'), lines.join(''))
  }
}
