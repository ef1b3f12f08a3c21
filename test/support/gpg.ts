import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacksProgram } from './programs.ts'
import { output, type Ran, run } from './run.ts'

/** The reason to skip tests with GnuPG; false when it is there. */
export const lacksGpg = lacksProgram('gpg', 'gpgv', 'gpgconf')

export interface NewKey {
  /** As `gpg --quick-generate-key` takes it. */
  readonly algorithm?: 'ed25519' | 'rsa2048' | 'dsa1024'
  /** The day it is made on, such as `20200101`. */
  readonly day?: string
  /** How long it lives, such as `2d`; for ever unless said. */
  readonly life?: string
}

/** GnuPG with keyrings of its own. */
export class Gpg implements AsyncDisposable {
  readonly home: string

  private constructor(home: string) {
    this.home = home
  }

  static async open(): Promise<Gpg> {
    // short, because the agent's socket lies in it
    return new Gpg(await mkdtemp(join(tmpdir(), 'gpg-')))
  }

  async run(args: readonly string[], input?: string | Uint8Array): Promise<Ran> {
    return run('gpg', this.#args(args), { env: this.#env, ...(input === undefined ? {} : { input }) })
  }

  /** @throws when it fails */
  async output(args: readonly string[], input?: string | Uint8Array): Promise<Buffer> {
    return output('gpg', this.#args(args), { env: this.#env, ...(input === undefined ? {} : { input }) })
  }

  /** Makes a key without a passphrase, and gives its fingerprint. */
  async createKey(name: string, { algorithm = 'ed25519', day, life = '0' }: NewKey = {}): Promise<string> {
    const args = ['--status-fd', '1', '--quick-generate-key', `${name} <${name}@example.com>`, algorithm, 'sign', life]
    const said = await this.output([...faked(day), ...args])
    return /KEY_CREATED P (\w+)/.exec(said.toString())?.[1] ?? ''
  }

  /** Adds a subkey that signs to a key. */
  async addSubkey(fingerprint: string, { algorithm = 'ed25519', day, life = '0' }: NewKey = {}): Promise<void> {
    await this.output([...faked(day), '--quick-add-key', fingerprint, algorithm, 'sign', life])
  }

  /** With the certificate that is made together with every key. */
  async revoke(fingerprint: string): Promise<void> {
    const guarded = await readFile(join(this.home, 'openpgp-revocs.d', `${fingerprint}.rev`), 'utf8')
    await this.output(['--import'], guarded.replace(':-----BEGIN', '-----BEGIN'))
  }

  /** The public keys, armored. */
  async exportKeys(...fingerprints: readonly string[]): Promise<string> {
    return (await this.output(['--armor', '--export', ...fingerprints])).toString()
  }

  /** An armored signature in a file of its own. */
  async sign(bytes: string | Uint8Array, key: string, args: readonly string[] = []): Promise<string> {
    return (await this.output(['--armor', '--detach-sign', '-u', key, ...args, '-o', '-'], bytes)).toString()
  }

  /** Whether gpgv, which package clients use, takes a signature by these keys; gives its words. */
  async check(bytes: string | Uint8Array, signature: string, keys: string): Promise<Ran> {
    const [data, sig, ring] = ['data', 'data.asc', 'ring.gpg'].map((name) => join(this.home, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(data, bytes)
    await writeFile(sig, signature)
    await writeFile(ring, await this.output(['--dearmor', '-o', '-'], keys))
    return run('gpgv', ['--homedir', this.home, '--keyring', ring, sig, data], { env: this.#env })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('gpgconf', ['--homedir', this.home, '--kill', 'all'])
    await rm(this.home, { recursive: true, force: true })
  }

  get #env(): Record<string, string> {
    return { GNUPGHOME: this.home, HOME: this.home }
  }

  #args(args: readonly string[]): string[] {
    return ['--batch', '--yes', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '', ...args]
  }
}

function faked(day: string | undefined): string[] {
  return day === undefined ? [] : ['--faked-system-time', `${day}T120000!`]
}
