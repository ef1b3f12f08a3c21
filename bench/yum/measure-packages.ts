import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Dnf } from '../../test/support/dnf.ts'
import { buildRpms } from '../../test/support/rpm-fixtures.ts'
import { claim, note } from '../report.ts'
import { duration } from '../scale/client.ts'
import type { Bench } from './measure-distribution.ts'
import { createRepository, timeTask } from './repositories.ts'

const run = promisify(execFile)

/** Packages of one specification: rpmbuild makes a thousand at once in good time. */
const perSpecification = 1000

/** Real packages: synced against `dnf reposync`, published against `createrepo_c --update`. */
export async function measurePackages({ program, folder, url }: Bench): Promise<void> {
  const served = join(folder, 'rpms')
  await build(served, [1, 2, 3])
  await run('createrepo_c', ['--quiet', served])
  note('\n3,000 packages')
  const peer = await timeReposync(`${url}rpms/`)
  const synced = await createRepository(program, { url: `${url}rpms/` })
  const own = await timeTask(program, `/content/api/repositories/${synced.id}/sync`)
  note(`dnf reposync ${peer.toFixed(2)} s`)
  claim('immediate sync, in times of dnf reposync', own / peer, { atMost: 1 })

  await build(served, [4, 5, 6])
  await run('createrepo_c', ['--quiet', '--update', served])
  await timeTask(program, `/content/api/repositories/${synced.id}/sync`)
  note('\n6,000 packages')
  const update = (await duration(() => run('createrepo_c', ['--quiet', '--update', served]))) / 1000
  const publish = await timeTask(program, `/content/api/repositories/${synced.id}/republish`, 'PUT')
  note(`createrepo_c --update ${update.toFixed(2)} s`)
  claim('republish, in times of createrepo_c --update', publish / update, { atMost: 2 })
}

async function timeReposync(baseurl: string): Promise<number> {
  await using dnf = await Dnf.open({ baseurl })
  const target = join(dnf.folder, 'mirror')
  await mkdir(target)
  const args = ['reposync', '--repoid=test', `--download-path=${target}`, '--download-metadata', '--norepopath']
  return (await duration(() => dnf.lines(...args))) / 1000
}

async function build(folder: string, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    const name = `set${number}`
    await buildRpms(folder, {
      name,
      sections: packagesByLua(name, perSpecification - 1),
      files: [{ path: `/${name}` }],
    })
  }
}

function packagesByLua(name: string, count: number): string {
  return `%{lua: for i = 1, ${count} do
    print("%package -n ${name}-" .. i .. "\\nSummary: Number " .. i .. "\\nRequires: ${name} = 1.0\\n")
    print("%description -n ${name}-" .. i .. "\\nText " .. i .. "\\n%files -n ${name}-" .. i .. "\\n")
    for file = 1, 20 do print("%ghost /usr/share/${name}/" .. i .. "/" .. (file % 7) .. "/file-" .. file .. "\\n") end
  end}`
}
