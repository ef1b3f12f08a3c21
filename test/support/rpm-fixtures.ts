import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface RpmSpec {
  readonly name: string
  readonly version?: string
  readonly release?: string
  readonly summary?: string
  readonly description?: string
  /** Lines such as `Requires: bash`. */
  readonly preamble?: readonly string[]
  readonly files?: readonly SpecFile[]
  /** The lines of `%changelog`, newest entry first. */
  readonly changelog?: readonly string[]
  /** Further sections: packages beside the first, scripts. */
  readonly sections?: string
}

export interface SpecFile {
  readonly path: string
  /** A ghost is named and not packed; a file by default. */
  readonly kind?: 'file' | 'dir' | 'ghost' | 'config' | 'doc'
  readonly text?: string
}

export interface RpmBuild {
  /** The compressor of the payload as rpm names it, such as `w3.zstdio`. */
  readonly payload?: string
  readonly target?: 'noarch' | 'x86_64'
  /** Builds the source package instead. */
  readonly isSource?: boolean
  readonly defines?: Readonly<Record<string, string>>
}

/**
 * Makes packages with rpmbuild of what is described, or of a whole spec file; gives the paths of what was made, all in
 * `folder` itself.
 */
export async function buildRpms(folder: string, spec: RpmSpec | Buffer, build: RpmBuild = {}): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const top = await mkdtemp(join(folder, '.build-'))
  const specPath = join(top, 'package.spec')
  await mkdir(join(top, 'SOURCES'))
  await writeFile(join(top, 'SOURCES', 'source.txt'), 'a source\n')
  await writeFile(specPath, Buffer.isBuffer(spec) ? spec : specOf(spec))
  const defines = {
    _topdir: top,
    _binary_payload: build.payload ?? 'w3.zstdio',
    _source_payload: build.payload ?? 'w9.gzdio',
    debug_package: '%{nil}',
    __os_install_post: '%{nil}',
    _build_id_links: 'none',
    _invalid_encoding_terminates_build: '0',
    ...build.defines,
  }
  const options = Object.entries(defines).flatMap(([name, value]) => ['--define', `${name} ${value}`])
  await run('rpmbuild', [build.isSource ? '-bs' : '-bb', '--target', build.target ?? 'noarch', ...options, specPath], {
    env: { ...process.env, HOME: top, LC_ALL: 'C.UTF-8' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return moveRpms(top, folder)
}

async function moveRpms(top: string, folder: string): Promise<string[]> {
  const made = (await readdir(top, { recursive: true })).filter((name) => name.endsWith('.rpm')).sort()
  return Promise.all(
    made.map(async (name) => {
      const path = join(folder, name.split('/').at(-1) as string)
      await rename(join(top, name), path)
      return path
    }),
  )
}

/** A spec file whose `%install` makes all that it lists. */
function specOf(spec: RpmSpec): string {
  const { name, version = '1.0', release = '1', summary = `About ${name}`, files = [] } = spec
  return [
    `Name: ${name}`,
    `Version: ${version}`,
    `Release: ${release}`,
    `Summary: ${summary}`,
    'License: MIT',
    ...(spec.preamble ?? []),
    '%description',
    spec.description ?? `What ${name} is for.`,
    '%install',
    ...files.flatMap(installFile),
    '%files',
    '%defattr(-,root,root)',
    ...files.map(listFile),
    spec.sections ?? '',
    ...(spec.changelog === undefined ? [] : ['%changelog', ...spec.changelog]),
    '',
  ].join('\n')
}

function installFile({ path, kind, text = path }: SpecFile): string[] {
  const target = `"%{buildroot}${path}"`
  if (kind === 'ghost') return []
  if (kind === 'dir') return [`mkdir -p ${target}`]
  return [`mkdir -p "$(dirname ${target})"`, `cat > ${target} <<'END_OF_FILE'`, text, 'END_OF_FILE']
}

function listFile({ path, kind = 'file' }: SpecFile): string {
  const quoted = `"${path}"`
  const prefix = { file: '', dir: '%dir ', ghost: '%ghost ', config: '%config(noreplace) ', doc: '%doc ' }[kind]
  return prefix + quoted
}
