import { AppError } from '../../../../platform/errors.ts'
import type { UploadContext, UploadedFile } from '../../../content-type.ts'
import type { VerifiedRpm } from './verify-rpm.ts'

/**
 * Signatures over the payload too, which only packages of long ago have alone, are checked up to this size: the bytes must be
 * in memory at once. The payload of others is bound to their header by a digest.
 */
const maxSignedBytes = 64 * 1024 * 1024

/**
 * Refuses a package with a signature that is not one of its bytes, though the key which is said to have made it is known. Whoever
 * installs it decides about one without a signature, or of another key.
 *
 * @throws AppError `invalid` that names the key
 */
export async function refuseForged(
  { headers, signatures }: VerifiedRpm,
  file: UploadedFile,
  findForgery: NonNullable<UploadContext['findForgery']>,
): Promise<void> {
  for (const { covers, bytes: signature } of signatures) {
    const bytes = covers === 'header' ? headers.main.bytes : await readSigned(file, headers.range.start)
    const problem = bytes && (await findForgery({ bytes, signature }))
    if (problem !== undefined) throw new AppError('invalid', `Cannot trust the package: ${problem}`)
  }
}

/** The main header and all that follows it. */
async function readSigned(file: UploadedFile, start: number): Promise<Buffer | undefined> {
  if (file.sizeBytes - start > maxSignedBytes) return undefined
  await using opened = await file.open()
  return Buffer.concat(await Array.fromAsync(opened.body)).subarray(start)
}
