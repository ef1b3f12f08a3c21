import { AppError } from '../../../platform/errors.ts'
import type { UploadContext, UploadedFile } from '../../content-type.ts'
import { fileNameOf, type PackageUnit, packageKind, packagePath } from './packages/package-unit.ts'
import { describeApart } from './rpm/describe-apart.ts'
import { refuseForged } from './rpm/refuse-forged.ts'
import { mainTags } from './rpm/rpm-tags.ts'
import { verifyRpm } from './rpm/verify-rpm.ts'

/**
 * The package that a sent file is, whatever it is called.
 *
 * @throws AppError `invalid` that names the file when it is no package, or one that was damaged or changed after it was signed
 */
export async function parseRpm(file: UploadedFile, context: UploadContext): Promise<PackageUnit> {
  const { fields, modularityLabel, fragments } = await read(file, context)
  const { sha256, sizeBytes } = file
  return {
    kind: packageKind(fields),
    naturalKey: sha256,
    name: fileNameOf(fields),
    files: [{ path: packagePath(fields), sha256, sizeBytes }],
    fields,
    sha256,
    isModular: modularityLabel !== '',
    fragments: async () => fragments,
  }
}

async function read(file: UploadedFile, { findForgery }: UploadContext) {
  try {
    await using opened = await file.open()
    const verified = await verifyRpm(opened.body)
    if (findForgery !== undefined) await refuseForged(verified, file, findForgery)
    const { headers } = verified
    // when a file came to be is told by nobody; like this the same package always looks the same
    const fileTime = headers.main.findNumber(mainTags.buildTime) ?? 0
    return await describeApart(headers, { sizeBytes: file.sizeBytes, fileTime })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    throw new AppError('invalid', `Cannot take the file "${file.name}": ${error.message}`, { cause: error })
  }
}
