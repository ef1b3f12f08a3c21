// Plain JavaScript for Node 20, because prepare.mjs uses it.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const kernelPackage = 'linux-image-cloud-amd64'

/** Downloads the kernel of virtual machines in tests and unpacks it, unless it is there; it is never installed. */
export function unpackKernel({ modules, run, say }) {
  const folder = join(modules, '.cache/guest-kernel')
  if (existsSync(folder)) return
  const unfinished = `${folder}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const name = run('apt-cache', ['depends', kernelPackage]).output.match(/Depends: (linux-image-\S+)/)?.[1]
  if (name === undefined) return say(`tests with virtual machines are skipped: there is no package ${kernelPackage}`)
  say(`unpacking ${name}`)
  const command = `cd '${unfinished}' && apt-get -qq download ${name} && dpkg-deb -x *.deb . && rm *.deb`
  const { isOk, output } = run('sh', ['-c', command])
  if (isOk) renameSync(unfinished, folder)
  else say(`tests with virtual machines are skipped: ${output.trim().split('\n').at(-1)}`)
}
