import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from './json.ts'
import { adminPassword } from './test-server.ts'

/** A task of a playbook: the module of theforeman.foreman, which is also its name, and what it is given. */
export interface AnsibleTask {
  readonly name: string
  readonly module: string
  readonly options: Readonly<Record<string, unknown>>
}

export interface TaskOutcome {
  readonly name: string
  readonly changed: boolean
  readonly failed: boolean
  readonly msg: string
  /** Corrections that the module made to what it was asked for, such as options that the server does not know. */
  readonly warnings: readonly string[]
  /** Everything that the module said. */
  readonly result: Json
}

/** Runs playbooks as their users do, with a home of its own. */
export class Ansible implements AsyncDisposable {
  readonly #folder: string
  readonly #server: string

  private constructor(folder: string, server: string) {
    this.#folder = folder
    this.#server = server
  }

  static async open(server: string): Promise<Ansible> {
    return new Ansible(await mkdtemp(join(tmpdir(), 'backhaul-ansible-')), server)
  }

  /** Runs tasks one after the other up to the first that fails; gives what became of those that were run. */
  async run(tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
    const playbook = join(this.#folder, 'playbook.json')
    await mkdir(join(this.#folder, 'tmp'), { recursive: true })
    await writeFile(playbook, JSON.stringify([this.#play(tasks)]))
    return outcomesOf(await this.#execute(playbook))
  }

  #play(tasks: readonly AnsibleTask[]): object {
    return {
      hosts: 'localhost',
      gather_facts: false,
      module_defaults: {
        'group/theforeman.foreman.foreman': {
          server_url: this.#server,
          username: 'admin',
          password: adminPassword,
        },
      },
      tasks: tasks.map(({ name, module, options }) => ({ name, [`theforeman.foreman.${module}`]: options })),
    }
  }

  #execute(playbook: string): Promise<string> {
    const env = {
      PATH: process.env['PATH'],
      LC_ALL: 'C.UTF-8',
      HOME: this.#folder,
      XDG_CACHE_HOME: join(this.#folder, 'cache'),
      ANSIBLE_LOCAL_TEMP: join(this.#folder, 'tmp'),
      ANSIBLE_REMOTE_TEMP: join(this.#folder, 'tmp'),
      ANSIBLE_STDOUT_CALLBACK: 'json',
      ANSIBLE_LOCALHOST_WARNING: 'false',
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    // the status says only that some task failed, which is in what was printed as well
    execFile('ansible-playbook', [playbook], { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      stdout.includes('{')
        ? resolve(stdout)
        : reject(new Error(`ansible-playbook: ${stderr}${stdout}`, { cause: error })),
    )
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function outcomesOf(printed: string): TaskOutcome[] {
  const { plays } = JSON.parse(printed.slice(printed.indexOf('{'))) as Json
  return plays[0].tasks.map(({ task, hosts }: Json) => {
    const result = hosts.localhost
    const { changed = false, failed = false, msg = '', warnings = [] } = result
    return { name: task.name, changed, failed, msg: String(msg), warnings, result }
  })
}
