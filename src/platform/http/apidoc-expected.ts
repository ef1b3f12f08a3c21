import { type ApidocParam, wrappedParam } from './apidoc-params.ts'

/**
 * Resources that Katello's clients want to find before they do anything, whether or not they ever call them: hammer loads
 * the commands of all of them, and the Ansible collection corrects the descriptions of some. What is here in vain is a
 * list without methods; where a client looks for a method there is one without addresses, which cannot be called.
 */
export const expectedMethods: Readonly<Record<string, readonly string[]>> = {
  // the mark by which clients know a server with content
  subscriptions: ['index'],
  activation_keys: ['product_content'],
  hosts: ['create', 'update'],
  architectures: [],
  compute_resources: [],
  domains: [],
  host_collections: [],
  hostgroups: [],
  locations: [],
  media: [],
  operatingsystems: [],
  packages: [],
  provisioning_templates: [],
  ptables: [],
  smart_proxies: [],
  subnets: [],
  usergroups: [],
}

/** The parameters that are looked for in methods of `expectedMethods`. */
export function expectedParams(resource: string): ApidocParam[] {
  return resource === 'hosts' ? [wrappedParam('host', [])] : []
}
