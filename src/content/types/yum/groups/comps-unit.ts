import { createHash } from 'node:crypto'
import type { NewUnit } from '../../../content-type.ts'
import type { Comps } from '../metadata/read-comps.ts'

/** In the order in which they are published. */
export const compsElements = ['group', 'category', 'environment', 'langpacks'] as const
export type CompsElement = (typeof compsElements)[number]

/** An element of comps.xml as a unit: one that was changed is another unit with the same id. */
export interface CompsUnit extends NewUnit {
  readonly element: CompsElement
  readonly groupId: string
  readonly description: string
  /** Of a group, their names. */
  readonly packages: readonly string[]
  readonly source: string
}

const kinds = {
  group: 'package_group',
  category: 'package_category',
  environment: 'package_environment',
  langpacks: 'package_langpacks',
} as const satisfies Record<CompsElement, string>

export function isCompsUnit(unit: NewUnit): unit is CompsUnit {
  return Object.values<string>(kinds).includes(unit.kind)
}

export function toCompsUnits({ groups, categories, environments, langpackSources }: Comps) {
  return [
    ...groups.map((group) => toUnit('group', group)),
    ...categories.map((category) => toUnit('category', category)),
    ...environments.map((environment) => toUnit('environment', environment)),
    ...langpackSources.map((source) => toUnit('langpacks', { id: 'langpacks', source })),
  ]
}

interface Described {
  readonly id: string
  readonly name?: { readonly text: string }
  readonly description?: { readonly text: string }
  readonly packages?: readonly { readonly name: string }[]
  readonly source: string
}

function toUnit(element: CompsElement, { id, name, description, packages = [], source }: Described) {
  const digest = createHash('sha256').update(source).digest('hex')
  return {
    kind: kinds[element],
    naturalKey: `${id} ${digest}`,
    name: name?.text ?? id,
    files: [],
    element,
    groupId: id,
    description: description?.text ?? '',
    packages: packages.map((each) => each.name),
    source,
  } as const satisfies CompsUnit
}
