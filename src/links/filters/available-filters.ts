import type { FilterKind, FilterParameter } from './filter-kind.ts'
import { filterKinds } from './filter-kinds.ts'

export interface AvailableFilter {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly parameters: readonly AvailableParameter[]
}

type AvailableParameter =
  | { readonly name: string; readonly minimum: number; readonly maximum: number; readonly type: 'int'; unit: string }
  | { readonly name: string; readonly type: 'text' }

/** What can be set on a link of this machine, in the form that GNS3's clients draw their dialogs from. */
export function availableFilters(): AvailableFilter[] {
  return filterKinds
    .filter((kind) => kind.missing?.() === undefined)
    .toSorted((a, b) => shownAt(a) - shownAt(b))
    .map(toAvailable)
}

/** The order that people know from GNS3's dialogs, which is not the one in which frames meet the filters. */
const shownFirst = ['frequency_drop', 'packet_loss', 'delay', 'corrupt', 'bpf']

function shownAt({ type }: FilterKind): number {
  const place = shownFirst.indexOf(type)
  return place < 0 ? shownFirst.length : place
}

function toAvailable({ type, name, description, parameters }: FilterKind): AvailableFilter {
  return { type, name, description, parameters: parameters.map(toAvailableParameter) }
}

function toAvailableParameter(parameter: FilterParameter): AvailableParameter {
  if (parameter.type === 'text') return { name: parameter.name, type: 'text' }
  const { name, minimum, maximum, type, unit } = parameter
  return { name, minimum, maximum, type, unit }
}
