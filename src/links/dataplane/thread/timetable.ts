/** What has something to do at times. `place` and `plannedMs` are the timetable's own. */
export interface Timed {
  place: number
  plannedMs: number
}

/** Who has something to do next: a binary heap, in which those that have nothing to do are not. */
export class Timetable<Item extends Timed> {
  readonly #heap: Item[] = []

  /** When the first has something to do; Infinity when none has. */
  get firstMs(): number {
    return this.#heap[0]?.plannedMs ?? Infinity
  }

  get first(): Item | undefined {
    return this.#heap[0]
  }

  /** Says when an item has something to do; Infinity takes it out. */
  plan(item: Item, timeMs: number): void {
    if (item.plannedMs === timeMs) return
    const isEarlier = timeMs < item.plannedMs
    item.plannedMs = timeMs
    if (timeMs === Infinity) this.#remove(item)
    else if (item.place < 0) this.#raise(item, this.#heap.length)
    else if (isEarlier) this.#raise(item, item.place)
    else this.#sink(item, item.place)
  }

  #remove(item: Item): void {
    const { place } = item
    const last = this.#heap.pop()
    item.place = -1
    if (last === undefined || last === item) return
    this.#raise(last, place)
    this.#sink(last, last.place)
  }

  /** Puts an item at `place`, or above, behind the first that is not later. */
  #raise(item: Item, place: number): void {
    let at = place
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = this.#heap[above]
      if (parent === undefined || parent.plannedMs <= item.plannedMs) break
      this.#put(parent, at)
      at = above
    }
    this.#put(item, at)
  }

  /** Puts an item at `place`, or below, before the first that is not earlier. */
  #sink(item: Item, place: number): void {
    let at = place
    for (;;) {
      const below = this.#earlierBelow(at)
      const child = this.#heap[below]
      if (child === undefined || child.plannedMs >= item.plannedMs) break
      this.#put(child, at)
      at = below
    }
    this.#put(item, at)
  }

  /** The earlier one of the two places below. */
  #earlierBelow(at: number): number {
    const left = 2 * at + 1
    const leftMs = this.#heap[left]?.plannedMs ?? Infinity
    const rightMs = this.#heap[left + 1]?.plannedMs ?? Infinity
    return rightMs < leftMs ? left + 1 : left
  }

  #put(item: Item, at: number): void {
    this.#heap[at] = item
    item.place = at
  }
}
