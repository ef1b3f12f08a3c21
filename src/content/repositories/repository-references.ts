import type { AttributeValues } from '../content-type.ts'

const credentials = ['gpg_key_id', 'ssl_ca_cert_id', 'ssl_client_cert_id', 'ssl_client_key_id']

/** What is wrong with the ids that attributes name: an organization has neither credentials nor proxies. */
export async function referenceChecks(given: AttributeValues): Promise<Record<string, string[]>> {
  const problems: Record<string, string[]> = {}
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== null
  for (const name of credentials) {
    if (isGiven(name)) problems[name] = ['is the id of no content credential']
  }
  if (isGiven('http_proxy_id')) problems['http_proxy_id'] = ['is the id of no HTTP proxy']
  return problems
}

/** The text of a GPG key, for package clients; undefined when there is none under the id. */
export async function findGpgKey(_id: number | null): Promise<string | undefined> {
  return undefined
}
