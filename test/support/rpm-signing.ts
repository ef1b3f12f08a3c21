import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Signs packages in place with a key that gpg makes for this test. */
export class RpmSigner {
  readonly #home: string
  /** 40 hexadecimal digits, upper case. */
  readonly fingerprint: string

  private constructor(home: string, fingerprint: string) {
    this.#home = home
    this.fingerprint = fingerprint
  }

  /** @param algorithm as gpg names it, such as `rsa2048` or `ed25519` */
  static async create(algorithm: string): Promise<RpmSigner> {
    // The agent's socket must have a short path.
    const home = await mkdtemp(join(tmpdir(), 'gpg-'))
    const gpg = (...args: readonly string[]) => run('gpg', ['--homedir', home, '--batch', '--quiet', ...args])
    await gpg('--passphrase', '', '--quick-generate-key', 'Signer <signer@example.org>', algorithm, 'sign', 'never')
    const { stdout } = await gpg('--list-keys', '--with-colons')
    return new RpmSigner(home, /^fpr:+([0-9A-F]{40}):/m.exec(stdout)?.[1] as string)
  }

  async sign(...paths: readonly string[]): Promise<void> {
    const defines = { __gpg: '/usr/bin/gpg', _gpg_name: this.fingerprint, _gpg_path: this.#home }
    const options = Object.entries(defines).flatMap(([name, value]) => ['--define', `${name} ${value}`])
    await run('rpmsign', [...options, '--addsign', ...paths], { env: { ...process.env, GNUPGHOME: this.#home } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('gpgconf', ['--homedir', this.#home, '--kill', 'all'])
    await rm(this.#home, { recursive: true, force: true })
  }
}
