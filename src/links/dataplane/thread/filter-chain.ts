import { type FrameFilter, findFilterKind, type PreparedFilter, seededRandom } from '../../filters/index.ts'
import { causeSlot } from '../counters.ts'

interface Stage {
  readonly prepared: PreparedFilter
  readonly filter: FrameFilter
}

/** The filters of one direction, in order. Setting them again keeps those that did not change, with their counters. */
export class FilterChain {
  readonly #seed: number
  #made = 0
  #stages: readonly Stage[] = []
  #judges: readonly FrameFilter[] = []
  #causes: readonly number[] = []
  #departers: readonly FrameFilter[] = []

  constructor(seed: number) {
    this.#seed = seed
  }

  get isEmpty(): boolean {
    return this.#stages.length === 0
  }

  set(filters: readonly PreparedFilter[]): void {
    this.#stages = filters.map((prepared) => this.#keep(prepared) ?? this.#create(prepared))
    const judging = this.#stages.filter(({ filter }) => filter.judge !== undefined)
    this.#judges = judging.map(({ filter }) => filter)
    this.#causes = judging.map(({ prepared }) => causeSlot(prepared.type))
    this.#departers = this.#stages.map(({ filter }) => filter).filter((filter) => filter.depart !== undefined)
  }

  /** Gives the counter slot of the filter that drops the frame, or 0 when it goes on. */
  judge(bytes: Uint8Array, offset: number, length: number): number {
    const judges = this.#judges
    for (let index = 0; index < judges.length; index += 1) {
      if (judges[index]?.judge?.(bytes, offset, length) === 0) return this.#causes[index] ?? 0
    }
    return 0
  }

  /** The monotonic time in ms at which a frame that comes in at `nowMs` leaves. */
  depart(nowMs: number, length: number): number {
    const departers = this.#departers
    let departure = nowMs
    for (let index = 0; index < departers.length; index += 1) {
      departure = departers[index]?.depart?.(departure, length) ?? departure
    }
    return departure
  }

  #keep(prepared: PreparedFilter): Stage | undefined {
    const present = this.#stages.find((stage) => stage.prepared.type === prepared.type)
    if (present === undefined) return undefined
    return isSame(present.prepared.settings, prepared.settings) ? present : undefined
  }

  #create(prepared: PreparedFilter): Stage {
    const kind = findFilterKind(prepared.type)
    if (kind === undefined) throw new Error(`Cannot make filter "${prepared.type}": there is no such kind`)
    this.#made += 1
    return { prepared, filter: kind.create(prepared.settings, seededRandom(this.#seed, this.#made)) }
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}
