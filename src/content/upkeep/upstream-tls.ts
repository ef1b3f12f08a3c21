import type { UpstreamTls } from '../../platform/fetch/fetch-options.ts'
import { credentialPurpose } from '../credentials/credential-service.ts'
import { findCredentials } from '../credentials/credential-store.ts'
import type { RepositoryRecord } from '../repositories/repository-store.ts'
import type { ContentTaskParts } from './repository-content.ts'

/** What a repository's credentials say about encrypted connections to its own upstream. */
export async function findUpstreamTls(
  { db, secrets }: Pick<ContentTaskParts, 'db' | 'secrets'>,
  { verify_ssl_on_sync: verify, ...repository }: RepositoryRecord,
): Promise<UpstreamTls> {
  const { ssl_ca_cert_id: caId, ssl_client_cert_id: certificateId, ssl_client_key_id: keyId } = repository
  const found = await findCredentials(db, [caId, certificateId, keyId])
  const contentOf = (id: number | null) => {
    const sealed = found.get(id ?? 0)?.content_sealed
    return sealed === undefined ? undefined : secrets.open(sealed, credentialPurpose)
  }
  const certificate = contentOf(certificateId)
  // a certificate may come with its key in one text
  const key = contentOf(keyId) ?? (certificate?.includes('PRIVATE KEY-----') ? certificate : undefined)
  const client = certificate === undefined || key === undefined ? {} : { certificate, key }
  return { verify, ca: contentOf(caId), ...client }
}
