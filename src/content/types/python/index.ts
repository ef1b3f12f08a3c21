import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'

const list = (description: string) => ({
  schema: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 100_000, description }),
  default: null,
})

/** Python packages. */
export const python: ContentType = {
  name: 'python',
  unitKinds: [{ kind: 'python_package', label: 'generic_content_unit', isRemovable: true }],
  attributes: {
    includes: list('Specifiers of the projects to sync'),
    excludes: list('Specifiers of the projects to leave out'),
    package_types: list('Kinds of distributions to sync; none: all'),
  },
  syncOptions: [],
}
