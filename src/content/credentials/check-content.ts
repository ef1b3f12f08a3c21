import { invalidField } from '../../platform/errors.ts'
import type { CredentialKind } from '../tables.ts'

/**
 * Checks that a text has the outer form of its kind; whether the key in it is any good is found out where it is used.
 *
 * @throws AppError `invalid` naming `content`
 */
export function checkContent(kind: CredentialKind, content: string): void {
  const begin = /-----BEGIN ([A-Z0-9 ]{1,100})-----/.exec(content)
  const label = begin?.[1] ?? ''
  const isWhole = begin !== null && content.includes(`-----END ${label}-----`, begin.index)
  if (kind === 'gpg_key' && !(isWhole && label === 'PGP PUBLIC KEY BLOCK'))
    throw invalidField('content', 'must be an OpenPGP public key in armor')
  if (kind === 'cert' && (!isWhole || label.startsWith('PGP ')))
    throw invalidField('content', 'must be a certificate or a key in PEM')
}
