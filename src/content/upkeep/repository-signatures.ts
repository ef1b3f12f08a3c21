import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { CheckSignature, UploadContext } from '../content-type.ts'
import { credentialPurpose } from '../credentials/credential-service.ts'
import { findCredentials } from '../credentials/credential-store.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import { findForgery } from '../signing/find-forgery.ts'
import { verifyDetached } from '../signing/verify-detached.ts'
import type { ContentTables } from '../tables.ts'

interface SignatureParts {
  readonly db: Db<ContentTables>
  readonly secrets: SecretBox
}

/** What checks the signatures of a repository's upstream; undefined when the repository has no GPG key. */
export async function findSignatureCheck(
  parts: SignatureParts,
  repository: RepositoryRecord,
): Promise<CheckSignature | undefined> {
  const keys = await findKeys(parts, repository)
  if (keys === undefined) return undefined
  return async (subject, { bytes, signature }) => {
    const { isValid, problem } = await verifyDetached(bytes, signature, { keys })
    if (!isValid) throw new AppError('upstream', `Cannot trust ${subject}: ${problem}`)
  }
}

/** What finds false signatures in what is sent into a repository; undefined when the repository has no GPG key. */
export async function findForgeryCheck(
  parts: SignatureParts,
  repository: RepositoryRecord,
): Promise<UploadContext['findForgery']> {
  const keys = await findKeys(parts, repository)
  return keys === undefined ? undefined : ({ bytes, signature }) => findForgery(bytes, signature, keys)
}

async function findKeys(
  { db, secrets }: SignatureParts,
  { gpg_key_id: id }: RepositoryRecord,
): Promise<string | undefined> {
  const sealed = id === null ? undefined : (await findCredentials(db, [id])).get(id)?.content_sealed
  return sealed === undefined ? undefined : secrets.open(sealed, credentialPurpose)
}
