import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacksProgram } from './programs.ts'
import { type Ran, run } from './run.ts'

/** The reason to skip tests with the real client; false when it is there. */
export const lacksDnf = lacksProgram('dnf', 'rpm')

/** A repository as dnf's own configuration has it. Nothing is checked unless that is said. */
export interface DnfRepository {
  readonly id?: string
  readonly baseurl: string
  /** Packages must be signed. */
  readonly gpgcheck?: boolean
  /** `repomd.xml` must be signed. */
  readonly repo_gpgcheck?: boolean
  readonly gpgkey?: string
  readonly username?: string
  readonly password?: string
  readonly proxy?: string
  readonly proxy_username?: string
  readonly proxy_password?: string
  readonly proxy_auth_method?: 'basic'
  readonly sslcacert?: string
  readonly sslclientcert?: string
  readonly sslclientkey?: string
  readonly sslverify?: boolean
}

/**
 * The real dnf on a machine of its own: a root, caches, logs and configuration in a temporary folder. No setting of this machine
 * has an effect, and nothing is written outside of the folder.
 */
export class Dnf implements AsyncDisposable {
  /** For what a test downloads. */
  readonly folder: string
  readonly root: string

  private constructor(folder: string) {
    this.folder = folder
    this.root = join(folder, 'root')
  }

  static async open(...repositories: readonly DnfRepository[]): Promise<Dnf> {
    const dnf = new Dnf(await mkdtemp(join(tmpdir(), 'dnf-')))
    for (const name of ['root', 'repos.d', 'plugins', 'vars', 'home', 'log']) await mkdir(join(dnf.folder, name))
    await writeFile(join(dnf.folder, 'dnf.conf'), '[main]\n')
    await dnf.saveRepositories(...repositories)
    return dnf
  }

  /** From now on these are all that it knows. */
  async saveRepositories(...repositories: readonly DnfRepository[]): Promise<void> {
    await writeFile(join(this.folder, 'repos.d', 'test.repo'), repositories.map(section).join('\n'))
  }

  async run(...args: readonly string[]): Promise<Ran> {
    return run('dnf', [...this.#globalArgs, ...args], { cwd: this.folder, env: this.#env })
  }

  /** Gives the lines that it printed. @throws when it fails */
  async lines(...args: readonly string[]): Promise<string[]> {
    const { code, stdout, stderr } = await this.run(...args)
    if (code !== 0) throw new Error(`dnf ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return linesOf(stdout)
  }

  /** What is installed in its root, as `name-version-release.arch`, sorted; imported keys are left out. */
  async installed(): Promise<string[]> {
    const args = ['--root', this.root, '--dbpath', join(this.#home, '.rpmdb'), '-qa']
    const { stdout } = await run('rpm', args, { env: this.#env })
    return linesOf(stdout)
      .filter((line) => !line.startsWith('gpg-pubkey-'))
      .sort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  get #home(): string {
    return join(this.folder, 'home')
  }

  /** Debian's rpm keeps its database in the home folder. */
  get #env(): Record<string, string> {
    return { HOME: this.#home, TMPDIR: this.folder, DNF_DISABLE_ALIASES: '1' }
  }

  get #globalArgs(): string[] {
    const options = {
      reposdir: 'repos.d',
      cachedir: 'cache',
      logdir: 'log',
      persistdir: 'persist',
      pluginconfpath: 'plugins',
      varsdir: 'vars',
    }
    return [
      '-q',
      '-y',
      // they add a repository, read a list, run commands and write a cache of this machine
      '--disableplugin=local,versionlock,post-transaction-actions,generate_completion_cache',
      `--config=${join(this.folder, 'dnf.conf')}`,
      `--installroot=${this.root}`,
      '--releasever=9',
      ...Object.entries(options).map(([name, folder]) => `--setopt=${name}=${join(this.folder, folder)}`),
      '--setopt=module_platform_id=platform:el9',
      '--setopt=install_weak_deps=False',
      '--setopt=protected_packages=',
      // a server that does not answer is to be noticed soon
      '--setopt=retries=1',
      '--setopt=timeout=10',
    ]
  }
}

function section({ id = 'test', ...options }: DnfRepository): string {
  const settings = { name: id, enabled: true, gpgcheck: false, repo_gpgcheck: false, metadata_expire: 0, ...options }
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name}=${typeof value === 'boolean' ? Number(value) : value}`,
  )
  return `[${id}]\n${lines.join('\n')}\n`
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
