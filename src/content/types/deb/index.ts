import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'

const words = (of: string) => ({
  schema: Type.String({ maxLength: 1000, description: `${of} to sync, with blanks between them` }),
  default: null,
})

/** Debian packages. */
export const deb: ContentType = {
  name: 'deb',
  unitKinds: [{ kind: 'deb', label: 'deb', countKey: 'deb', idFilter: 'deb_id', isRemovable: true }],
  defaultUnit: 'deb',
  attributes: {
    deb_releases: words('Releases'),
    deb_components: words('Components'),
    deb_architectures: words('Architectures'),
  },
  syncOptions: ['validate_contents'],
}
