import { AppError } from '../../../platform/errors.ts'
import type { UploadedFile } from '../../content-type.ts'
import { fileNameOf, type PackageUnit, packageKind, packagePath } from './packages/package-unit.ts'
import { describeRpm } from './rpm/describe-rpm.ts'
import { verifyRpm } from './rpm/verify-rpm.ts'

/**
 * The package that a sent file is, whatever it is called.
 *
 * @throws AppError `invalid` that names the file when it is no package, or one that was damaged
 */
export async function parseRpm(file: UploadedFile): Promise<PackageUnit> {
  const { fields, details, fragments } = await read(file)
  const { sha256, sizeBytes } = file
  return {
    kind: packageKind(fields),
    naturalKey: sha256,
    name: fileNameOf(fields),
    files: [{ path: packagePath(fields), sha256, sizeBytes }],
    fields,
    sha256,
    isModular: details.modularityLabel !== '',
    fragments: async () => fragments,
  }
}

async function read(file: UploadedFile) {
  try {
    await using opened = await file.open()
    const { headers } = await verifyRpm(opened.body)
    // when a file came to be is told by nobody; like this the same package always looks the same
    const described = describeRpm(headers, { sizeBytes: file.sizeBytes, fileTime: 0 })
    const { buildTime } = described.fields
    return describeRpm(headers, { sizeBytes: file.sizeBytes, fileTime: buildTime })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    throw new AppError('invalid', `Cannot take the file "${file.name}": ${error.message}`, { cause: error })
  }
}
