import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'
import type { AttributeValues } from '../../unit-filter.ts'

const namePart = /^[a-z0-9][a-z0-9._-]*$/

/** Container images. */
export const docker: ContentType = {
  name: 'docker',
  unitKinds: [
    { kind: 'docker_manifest', label: 'docker_manifest', countKey: 'docker_manifest', isRemovable: true },
    {
      kind: 'docker_manifest_list',
      label: 'docker_manifest_list',
      countKey: 'docker_manifest_list',
      isRemovable: false,
    },
    { kind: 'docker_tag', label: 'docker_tag', countKey: 'docker_tag', isRemovable: false },
    { kind: 'docker_blob', label: 'docker_blob', isRemovable: false },
  ],
  defaultUnit: 'docker_manifest',
  attributes: {
    docker_upstream_name: {
      schema: Type.String({ maxLength: 255, description: 'Name of the repository at the upstream registry' }),
      default: null,
    },
    docker_tags_whitelist: {
      schema: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 10_000,
        description: 'Tags to sync',
      }),
      default: [],
    },
  },
  syncOptions: [],
  check: checkUpstreamName,
}

function checkUpstreamName({ url, docker_upstream_name: name }: AttributeValues) {
  if (typeof name !== 'string' || name.trim() === '') {
    return url === null ? {} : { docker_upstream_name: ['is needed when there is a url'] }
  }
  if (name.split('/').every((part) => namePart.test(part))) return {}
  return {
    docker_upstream_name: [
      'must consist of parts with slashes between them: small letters, digits, ".", "_" and "-", a letter or digit first',
    ],
  }
}
