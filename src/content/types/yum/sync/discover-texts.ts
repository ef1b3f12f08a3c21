import type { DiscoverContext, DiscoveredUnit } from '../../../content-type.ts'
import { toAdvisoryUnit } from '../advisories/advisory-unit.ts'
import { toCompsUnits } from '../groups/comps-unit.ts'
import { readComps } from '../metadata/read-comps.ts'
import { readModules } from '../metadata/read-modules.ts'
import { readUpdateinfo } from '../metadata/read-updateinfo.ts'
import { toModuleUnit } from '../modules/module-unit.ts'
import { openMetadata, type StoredMetadata } from './open-metadata.ts'

/** The metadata files besides the package lists that are taken apart. */
export const textTypes = ['group', 'modules', 'updateinfo'] as const

/** Those of them that a repository has, stored. */
export type MetadataTexts = Readonly<Partial<Record<(typeof textTypes)[number], StoredMetadata>>>

/** Gives the groups, modules and advisories of a repository. */
export async function* discoverTexts(
  context: DiscoverContext,
  { group, modules, updateinfo }: MetadataTexts,
): AsyncGenerator<readonly DiscoveredUnit[]> {
  if (group !== undefined) yield toCompsUnits(await readComps(openMetadata(context, 'comps.xml', group)))
  if (modules !== undefined) yield* discoverModules(context, modules)
  if (updateinfo === undefined) return
  for await (const advisories of readUpdateinfo(openMetadata(context, 'updateinfo.xml', updateinfo)))
    yield advisories.map(toAdvisoryUnit)
}

const batchSize = 500

async function* discoverModules(
  context: DiscoverContext,
  file: StoredMetadata,
): AsyncGenerator<readonly DiscoveredUnit[]> {
  let units: DiscoveredUnit[] = []
  for await (const document of readModules(openMetadata(context, 'modules.yaml', file))) {
    units.push(toModuleUnit(document))
    if (units.length < batchSize) continue
    yield units
    units = []
  }
  yield units
}
