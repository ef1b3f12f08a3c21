import type { Direction } from './direction.ts'
import type { Port } from './port.ts'

/** A port and the direction that its frames take. */
export interface Entrance {
  readonly port: Port
  readonly direction: Direction
  /** Whether it is in the list of those whose backlog is to be taken in. */
  isListed: boolean
}

/** The entrances whose ports have no descriptor to wait for, in the order in which they came to have frames. */
export class Backlogs {
  readonly #waiting: Entrance[] = []
  readonly #takeIn: (entrance: Entrance) => void

  /** `takeIn` passes a batch of frames from an entrance's port to its direction. */
  constructor(takeIn: (entrance: Entrance) => void) {
    this.#takeIn = takeIn
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  add(entrance: Entrance): void {
    const { port, direction } = entrance
    port.receiver = {
      expectFrames: () => {
        if (!entrance.isListed) this.#waiting.push(entrance)
        entrance.isListed = true
      },
      refuse: (lengthBytes) => direction.refuse(lengthBytes),
    }
    if (port.hasFrames === true) port.receiver.expectFrames()
  }

  remove(entrance: Entrance): void {
    entrance.port.receiver = undefined
    const index = this.#waiting.indexOf(entrance)
    if (index >= 0) this.#waiting.splice(index, 1)
  }

  /** Takes a batch in at each that waits now: what they set off comes next time. */
  takeIn(): void {
    const waiting = this.#waiting
    const count = waiting.length
    for (let index = 0; index < count; index += 1) {
      const entrance = waiting[index]
      if (entrance !== undefined) this.#takeIn(entrance)
    }
    this.#keepWaiting()
  }

  #keepWaiting(): void {
    const waiting = this.#waiting
    let kept = 0
    for (const entrance of waiting) {
      entrance.isListed = entrance.port.hasFrames === true
      if (!entrance.isListed) continue
      waiting[kept] = entrance
      kept += 1
    }
    waiting.length = kept
  }
}
