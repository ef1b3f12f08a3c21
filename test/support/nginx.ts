import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { waitUntil } from './wait-until.ts'

const program = '/usr/sbin/nginx'

/** The reason to skip tests that need nginx; false when it is there. */
export const lacksNginx = isInstalled() ? false : 'needs nginx (Debian package nginx-light)'

function isInstalled(): boolean {
  try {
    accessSync(program)
    return true
  } catch {
    return false
  }
}

export interface Nginx extends AsyncDisposable {
  readonly url: string
  /** The requests so far, oldest first: `GET /PULP_MANIFEST 200`. */
  requests(): Promise<string[]>
}

/** Serves a folder as any mirror does, with ETag and Last-Modified. */
export async function startNginx(root: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'backhaul-nginx-'))
  const port = await freePort()
  await writeFile(join(folder, 'nginx.conf'), configuration({ folder, root, port }))
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/`
  await waitUntil('nginx answers', () =>
    fetch(url).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    ),
  )
  const log = () => readFile(join(folder, 'access.log'), 'utf8')
  const before = (await log()).length
  return {
    url,
    requests: async () =>
      (await log())
        .slice(before)
        .split('\n')
        .filter((line) => line !== ''),
    [Symbol.asyncDispose]: () => stop(child, folder),
  }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
  await rm(folder, { recursive: true, force: true })
}

function configuration({ folder, root, port }: { folder: string; root: string; port: number }): string {
  const isRoot = process.getuid?.() === 0
  return `
${isRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  log_format plain '$request_method $request_uri $status';
  access_log ${folder}/access.log plain;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  sendfile on;
  server { listen 127.0.0.1:${port}; root ${root}; autoindex on; }
}
`
}
