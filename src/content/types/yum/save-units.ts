import type { Kysely } from 'kysely'
import type { StoredUnit } from '../../content-type.ts'
import { savePackages } from './packages/package-store.ts'
import { isPackage, type PackageUnit } from './packages/package-unit.ts'
import { isMetadataFile, type MetadataFileUnit } from './records/metadata-file.ts'
import { saveMetadataFiles } from './records/metadata-file-store.ts'

/** Adds the rows of units that are new to the database. */
export async function saveYumUnits(db: Kysely<unknown>, units: readonly StoredUnit[]): Promise<void> {
  const packages = units.filter((stored): stored is StoredUnit<PackageUnit> => isPackage(stored.unit))
  if (packages.length > 0) await savePackages(db, packages)
  const files = units.filter((stored): stored is StoredUnit<MetadataFileUnit> => isMetadataFile(stored.unit))
  if (files.length > 0) await saveMetadataFiles(db, files)
}
