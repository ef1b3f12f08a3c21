/** Lets so many work at a time; the others wait in the order in which they came. */
export class Turns {
  readonly count: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.count = count
    this.#free = count
  }

  async taking<T>(work: () => Promise<T>): Promise<T> {
    await this.#take()
    try {
      return await work()
    } finally {
      this.#giveBack()
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await promise
  }

  #giveBack(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
