import { AppError } from '../../platform/errors.ts'
import type { CheckSignature } from '../content-type.ts'
import { credentialPurpose } from '../credentials/credential-service.ts'
import { findCredentials } from '../credentials/credential-store.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import { verifyDetached } from '../signing/verify-detached.ts'
import type { ContentTaskParts } from './repository-content.ts'

/** What checks the signatures of a repository's upstream; undefined when the repository has no GPG key. */
export async function findSignatureCheck(
  { db, secrets }: Pick<ContentTaskParts, 'db' | 'secrets'>,
  { gpg_key_id: id }: RepositoryRecord,
): Promise<CheckSignature | undefined> {
  const sealed = id === null ? undefined : (await findCredentials(db, [id])).get(id)?.content_sealed
  if (sealed === undefined) return undefined
  const keys = secrets.open(sealed, credentialPurpose)
  return async (subject, { bytes, signature }) => {
    const { isValid, problem } = await verifyDetached(bytes, signature, { keys })
    if (!isValid) throw new AppError('upstream', `Cannot trust ${subject}: ${problem}`)
  }
}
