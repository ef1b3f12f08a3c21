import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PEM texts. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** An authority with what it certified: a server called `localhost`, that server long ago, and a client. */
export interface Certificates {
  readonly ca: string
  readonly server: KeyPair
  readonly expiredServer: KeyPair
  readonly client: KeyPair
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** The reason to skip tests that need certificates; false when they can be made. */
export const lacksOpenssl = hasOpenssl ? false : 'needs the program openssl'

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  try {
    const ca = makeAuthority(folder)
    return {
      ca,
      server: certify(folder, 'server', '1'),
      expiredServer: certify(folder, 'expired', '-1'),
      client: certify(folder, 'client', '1'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function makeAuthority(folder: string): string {
  openssl(folder, ['req', '-x509', ...newKey, '-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', 'ca.crt'])
  return readFileSync(join(folder, 'ca.crt'), 'utf8')
}

function certify(folder: string, name: string, days: string): KeyPair {
  const [key, request, certificate] = [`${name}.key`, `${name}.csr`, `${name}.crt`]
  writeFileSync(join(folder, 'extensions'), 'subjectAltName=DNS:localhost\n')
  openssl(folder, ['req', ...newKey, '-subj', `/CN=${name}`, '-keyout', key, '-out', request])
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions']
  openssl(folder, ['x509', '-req', '-in', request, ...authority, '-days', days, '-out', certificate])
  const [certificateText, keyText] = [certificate, key].map((file) => readFileSync(join(folder, file), 'utf8'))
  return { certificate: certificateText ?? '', key: keyText ?? '' }
}

function openssl(folder: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`)
}
