import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Gpg } from './gpg.ts'
import { output } from './run.ts'

/** The architecture of packages that this machine runs. */
export const nativeArch = process.arch === 'arm64' ? 'aarch64' : 'x86_64'

/** A package of a single small file, `/usr/share/<name>/<version>`. */
export interface RpmSpec {
  readonly name: string
  readonly version: string
  readonly release?: string
  readonly epoch?: number
  /** `src` makes the source package of a noarch one. */
  readonly arch?: string
  readonly summary?: string
  readonly requires?: readonly string[]
  readonly files?: readonly string[]
  readonly changes?: readonly string[]
  readonly modularityLabel?: string
  /** As `_binary_payload` has it. */
  readonly payload?: 'w9.gzdio' | 'w2.xzdio' | 'w3.zstdio'
}

/** Builds packages into a folder, and gives the names of their files in the order of the specs. */
export async function buildRpms(folder: string, specs: readonly RpmSpec[]): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const names: string[] = []
  for (const spec of specs) names.push(await buildRpm(folder, spec))
  return names
}

async function buildRpm(folder: string, spec: RpmSpec): Promise<string> {
  const top = await mkdtemp(join(tmpdir(), 'rpmbuild-'))
  try {
    const path = join(top, 'package.spec')
    await writeFile(path, specText(spec))
    const { arch = 'noarch', payload = 'w9.gzdio' } = spec
    const defines = [
      `_topdir ${top}`,
      `_binary_payload ${payload}`,
      'debug_package %{nil}',
      '_build_name_fmt %%{NAME}.rpm',
    ]
    const mode = arch === 'src' ? ['-bs'] : ['-bb', '--target', arch]
    const args = [...mode, ...defines.flatMap((define) => ['--define', define]), path]
    await output('rpmbuild', args, { env: { HOME: top }, cwd: top })
    const made = join(top, arch === 'src' ? 'SRPMS' : 'RPMS')
    const [file = ''] = (await readdir(made)).filter((name) => name.endsWith('.rpm'))
    const name = `${spec.name}-${spec.version}-${spec.release ?? '1'}.${arch}.rpm`
    await copyFile(join(made, file), join(folder, name))
    return name
  } finally {
    await rm(top, { recursive: true, force: true })
  }
}

function specText({ name, version, release = '1', epoch, arch = 'noarch', ...more }: RpmSpec): string {
  const { summary = `The ${name} of the sea`, requires = [], files = [], changes = [], modularityLabel } = more
  const paths = [`/usr/share/${name}/${version}`, ...files]
  return [
    `Name: ${name}`,
    `Version: ${version}`,
    `Release: ${release}`,
    ...(epoch === undefined ? [] : [`Epoch: ${epoch}`]),
    ...(arch === 'noarch' || arch === 'src' ? ['BuildArch: noarch'] : []),
    ...(modularityLabel === undefined ? [] : [`ModularityLabel: ${modularityLabel}`]),
    `Summary: ${summary}`,
    'License: MIT',
    'URL: https://sea.example/',
    ...requires.map((each) => `Requires: ${each}`),
    '%description',
    `What is known of the ${name}.`,
    '%install',
    ...paths.flatMap((path) => [`mkdir -p "%{buildroot}$(dirname ${path})"`, `echo ${name} > "%{buildroot}${path}"`]),
    '%files',
    ...paths,
    '%changelog',
    ...changes.flatMap((text, index) => [
      `* Mon Jan ${String(15 - index).padStart(2, '0')} 2024 Sailor <sailor@sea.example> - ${version}-${index}`,
      `- ${text}`,
    ]),
    '',
  ].join('\n')
}

/** Signs packages in place, as distributions do. */
export async function signRpms(paths: readonly string[], gpg: Gpg, key: string): Promise<void> {
  const defines = ['__gpg /usr/bin/gpg', `_gpg_name ${key}`, `_gpg_path ${gpg.home}`]
  const args = [...defines.flatMap((define) => ['--define', define]), '--addsign', ...paths]
  await output('rpmsign', args, { env: { HOME: gpg.home, GNUPGHOME: gpg.home } })
}
