import type { DiscoverContext } from '../../../content-type.ts'
import { readModules } from '../metadata/read-modules.ts'
import { readPrimary } from '../metadata/read-primary.ts'
import { NewestPackages, nevraOf } from '../packages/newest-packages.ts'
import { compareEvr } from '../versions/compare-versions.ts'
import { openMetadata, type StoredMetadata } from './open-metadata.ts'

/**
 * The checksums of the packages that stay when only so many versions of each are kept; undefined when all stay. Packages of
 * modules stay whatever their age: the streams need them.
 */
export async function findRetained(
  context: DiscoverContext,
  primary: StoredMetadata,
  modular: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  const count = Number(context.attributes['retain_package_versions_count'] ?? 0)
  if (count === 0) return undefined
  const isProtected = (candidate: Parameters<typeof nevraOf>[0]) => modular.has(nevraOf(candidate))
  const newest = new NewestPackages<string>({ count, compare: compareEvr, isProtected })
  for await (const { packages } of readPrimary(openMetadata(context, 'primary.xml', primary)))
    for (const { fields, checksum } of packages) newest.add(fields, checksum.value)
  return new Set(newest.ids())
}

/** The packages that belong to streams of modules, as these name them: `name-epoch:version-release.arch`. */
export async function findModular(
  context: DiscoverContext,
  modules: StoredMetadata | undefined,
): Promise<ReadonlySet<string>> {
  const modular = new Set<string>()
  if (modules === undefined) return modular
  for await (const document of readModules(openMetadata(context, 'modules.yaml', modules))) {
    if (document.kind === 'stream') for (const artifact of document.artifacts) modular.add(artifact)
  }
  return modular
}
