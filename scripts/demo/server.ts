import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiClient, basicAuthorization } from '../../src/client/api-client.ts'

export interface DemoServer extends AsyncDisposable {
  readonly client: ApiClient
  readonly contentUrl: string
  /** For what the demo itself needs. */
  readonly folder: string
}

const password = 'only for the demo'

/** Starts the program as a user would, on free ports, with a data folder that goes with it. */
export async function startDemoServer(): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), 'backhaul-demo-'))
  const program = join(import.meta.dirname, '../../bin/backhaul.mjs')
  const child = spawn(process.execPath, [program, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      BACKHAUL_DATA: join(folder, 'data'),
      BACKHAUL_API_LISTEN: '127.0.0.1:0',
      BACKHAUL_CONTENT_LISTEN: '127.0.0.1:0',
      BACKHAUL_ADMIN_PASSWORD: password,
      BACKHAUL_LOG_LEVEL: 'warn',
    },
  })
  const urls: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    urls.push(...(line.match(/http:\/\/\S+?(?=\s|$)/) ?? []))
    if (urls.length === 2) break
  }
  const [apiUrl, contentUrl] = urls
  if (apiUrl === undefined || contentUrl === undefined) throw new Error('The server did not start')
  return {
    client: new ApiClient({ url: apiUrl, authorization: basicAuthorization('admin', password) }),
    contentUrl,
    folder,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
