import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'
import type { AttributeValues } from '../../unit-filter.ts'

/** Branches of OSTree repositories. */
export const ostree: ContentType = {
  name: 'ostree',
  unitKinds: [
    { kind: 'ostree', label: 'ostree', countKey: 'ostree_branch', idFilter: 'ostree_branch_id', isRemovable: true },
  ],
  defaultUnit: 'ostree',
  attributes: {
    ostree_upstream_sync_policy: {
      schema: Type.Enum(['latest', 'all', 'custom'], { description: 'How many commits of each branch to sync' }),
      default: 'latest',
    },
    ostree_upstream_sync_depth: {
      schema: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'So many, where the policy is custom' }),
      default: null,
    },
  },
  syncOptions: [],
  check: ({ url, ostree_upstream_sync_policy: policy, ostree_upstream_sync_depth: depth }) => ({
    ...(url === null && { url: ['is needed for repositories of this type'] }),
    ...(policy === 'custom' &&
      depth === null && { ostree_upstream_sync_depth: ['is needed when the policy is custom'] }),
  }),
  derive: (values) => ({ computed_ostree_upstream_sync_depth: computedDepth(values) }),
}

function computedDepth({ ostree_upstream_sync_policy: policy, ostree_upstream_sync_depth: depth }: AttributeValues) {
  if (policy === 'custom') return depth
  return policy === 'all' ? -1 : 0
}
