import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'
import type { AttributeValues } from '../../unit-filter.ts'

/** Collections of Ansible Galaxy. */
export const ansibleCollection: ContentType = {
  name: 'ansible_collection',
  unitKinds: [
    {
      kind: 'ansible_collection',
      label: 'ansible collection',
      countKey: 'ansible_collection',
      idFilter: 'ansible_collection_id',
      isRemovable: false,
    },
  ],
  attributes: {
    ansible_collection_requirements: {
      schema: Type.String({
        maxLength: 1_000_000,
        description: 'Text of a requirements file: which collections to sync',
      }),
      default: null,
    },
    ansible_collection_auth_url: {
      schema: Type.String({ maxLength: 1024, description: 'Gives a session for the token' }),
      default: null,
    },
    ansible_collection_auth_token: {
      schema: Type.String({ maxLength: 10_000, description: 'Never shown again' }),
      default: null,
      isSecret: true,
    },
  },
  syncOptions: [],
  check: checkCollections,
}

function checkCollections({
  url,
  ansible_collection_requirements: requirements,
  ansible_collection_auth_url: authUrl,
  ansible_collection_auth_token: token,
}: AttributeValues) {
  const isMissing = (value: unknown) => value === null || value === ''
  return {
    ...(typeof url === 'string' && !url.endsWith('/') && { url: ['must end with a slash'] }),
    ...(!isMissing(requirements) &&
      !/^collections[ \t]*:/m.test(String(requirements)) && {
        ansible_collection_requirements: ['must be a mapping with the key "collections"'],
      }),
    ...(!isMissing(authUrl) &&
      isMissing(token) && {
        ansible_collection_auth_token: ['is needed when there is an ansible_collection_auth_url'],
      }),
  }
}
