import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { AppError } from '../errors.ts'

const algorithm = 'aes-256-gcm'

/** Encrypts what is stored but must not be readable from the database alone (AES-256-GCM, NIST SP 800-38D). */
export class SecretBox {
  readonly #key: Buffer

  constructor(secretKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, 'backhaul', 'secret-box', 32))
  }

  /** `purpose` says which column of which row this is: a sealed text moved elsewhere cannot be opened there. */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return `v1:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`
  }

  /** @throws AppError `internal` when the key or the purpose is another one than at sealing */
  open(sealed: string, purpose: string): string {
    try {
      const bytes = Buffer.from(sealed.replace(/^v1:/, ''), 'base64')
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    } catch (error) {
      throw new AppError('internal', 'Cannot open a stored secret: the secret key is not the one that sealed it', {
        cause: error,
      })
    }
  }
}
