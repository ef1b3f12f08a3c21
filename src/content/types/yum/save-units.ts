import type { Kysely } from 'kysely'
import type { StoredUnit } from '../../content-type.ts'
import { saveAdvisories } from './advisories/advisory-store.ts'
import { type AdvisoryUnit, isAdvisory } from './advisories/advisory-unit.ts'
import { saveCompsUnits } from './groups/comps-store.ts'
import { type CompsUnit, isCompsUnit } from './groups/comps-unit.ts'
import { saveModules } from './modules/module-store.ts'
import { artifactsOf, isModuleUnit, type ModuleUnit } from './modules/module-unit.ts'
import { markModular } from './packages/modular-packages.ts'
import { savePackages } from './packages/package-store.ts'
import { isPackage, type PackageUnit } from './packages/package-unit.ts'
import { isMetadataFile, type MetadataFileUnit } from './records/metadata-file.ts'
import { saveMetadataFiles } from './records/metadata-file-store.ts'
import { saveTrees } from './trees/tree-store.ts'
import { isTree, type TreeUnit } from './trees/tree-unit.ts'

/** Adds the rows of units that are new to the database. */
export async function saveYumUnits(db: Kysely<unknown>, units: readonly StoredUnit[]): Promise<void> {
  const packages = units.filter((stored): stored is StoredUnit<PackageUnit> => isPackage(stored.unit))
  if (packages.length > 0) await savePackages(db, packages)
  const groups = units.filter((stored): stored is StoredUnit<CompsUnit> => isCompsUnit(stored.unit))
  if (groups.length > 0) await saveCompsUnits(db, groups)
  const modules = units.filter((stored): stored is StoredUnit<ModuleUnit> => isModuleUnit(stored.unit))
  if (modules.length > 0) await saveModules(db, modules)
  if (modules.length > 0)
    await markModular(
      db,
      modules.flatMap(({ unit }) => artifactsOf(unit)),
    )
  const advisories = units.filter((stored): stored is StoredUnit<AdvisoryUnit> => isAdvisory(stored.unit))
  if (advisories.length > 0) await saveAdvisories(db, advisories)
  const trees = units.filter((stored): stored is StoredUnit<TreeUnit> => isTree(stored.unit))
  if (trees.length > 0) await saveTrees(db, trees)
  const files = units.filter((stored): stored is StoredUnit<MetadataFileUnit> => isMetadataFile(stored.unit))
  if (files.length > 0) await saveMetadataFiles(db, files)
}
