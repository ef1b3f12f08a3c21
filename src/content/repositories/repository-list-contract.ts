import { Type } from 'typebox'
import { Id } from '../../platform/http/schemas.ts'
import { ListQuery } from '../contract-parts.ts'
import { contentTypes } from '../types/index.ts'

export const ContentTypeName = Type.Enum(contentTypes.map(({ name }) => name))

const unitKinds = contentTypes.flatMap((type) => type.unitKinds)

/** The parameters that ask for repositories with one unit: name → kind. */
export const unitFilters: ReadonlyMap<string, string> = new Map(
  unitKinds.flatMap(({ kind, idFilter }) => (idFilter === undefined ? [] : [[idFilter, kind]])),
)

/** The words of `with_content`, also those with an underscore in place of a blank: word → kinds. */
export const kindsByLabel: ReadonlyMap<string, readonly string[]> = new Map(
  unitKinds
    .flatMap(({ label }) => [label, label.replaceAll(' ', '_')])
    .map((word) => [
      word,
      unitKinds.filter(({ label }) => word.replaceAll('_', ' ') === label.replaceAll('_', ' ')).map(({ kind }) => kind),
    ]),
)

const unitParameters = Object.fromEntries(
  [...unitFilters].map(([name, kind]) => [
    name,
    Type.Optional(Type.String({ maxLength: 1000, description: `Only with this ${kind}` })),
  ]),
)

/** What every list of repositories takes besides what it is a list of. */
export const repositoryFilters = {
  ...ListQuery,
  content_type: Type.Optional(ContentTypeName),
  description: Type.Optional(Type.String()),
  download_policy: Type.Optional(Type.Enum(['immediate', 'on_demand', 'background'])),
  content_view_id: Type.Optional(Id),
  content_view_version_id: Type.Optional(Id),
  library: Type.Optional(Type.Boolean({ description: 'Only those in the environment Library' })),
  archived: Type.Optional(
    Type.Boolean({ description: 'Only those without environment, of the content view version that is asked for' }),
  ),
  available_for: Type.Optional(
    Type.Enum(['content_view', 'content_view_version'], { description: 'Only those that can be added to one' }),
  ),
  with_content: Type.Optional(Type.Enum([...kindsByLabel.keys()], { description: 'Only those with such units' })),
  username: Type.Optional(Type.String({ description: 'Only those that this user may see; for administrators' })),
  ...unitParameters,
}
