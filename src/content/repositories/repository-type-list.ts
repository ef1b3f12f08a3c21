import type { ContentType } from '../content-type.ts'
import { contentTypes } from '../types/index.ts'

/** The types of repositories as `repository_types` shows them. */
export function presentRepositoryTypes(onlyCreatable: boolean): object[] {
  return contentTypes
    .filter(({ work }) => !onlyCreatable || work !== undefined)
    .map((type) => ({
      name: type.name,
      id: type.name,
      creatable: type.work !== undefined,
      pulp3_support: true,
      default_managed_content_type: type.defaultUnit ?? null,
      content_types: type.unitKinds.map(({ label, isRemovable }) => ({
        label,
        generic: false,
        removable: isRemovable,
        uploadable: false,
      })),
      generic_remote_options: remoteOptions(type),
      import_attributes: [],
    }))
}

function remoteOptions({ attributes }: ContentType): object[] {
  return Object.entries(attributes).map(([name, { schema }]) => {
    const { type, description } = schema as { type?: string; description?: string }
    return { name, title: name.replaceAll('_', ' '), type: type ?? 'string', description: description ?? '' }
  })
}
