/** What the pool needs to know of a thread. */
export interface PooledThread {
  /** How many links and bridges it carries. */
  load: number
  stop(): Promise<void>
}

export interface ThreadPoolOptions<Thread extends PooledThread> {
  /** The most threads there are. */
  readonly limit: number
  readonly start: () => Thread
}

interface Group<Thread> {
  readonly thread: Thread
  members: number
}

/** A link or bridge that was placed. */
export interface Placed<Thread> {
  readonly thread: Thread
  readonly group: string | undefined
}

/** The data threads, and which of them carries what. */
export class ThreadPool<Thread extends PooledThread> {
  readonly #options: ThreadPoolOptions<Thread>
  readonly #threads: Thread[] = []
  readonly #groups = new Map<string, Group<Thread>>()

  constructor(options: ThreadPoolOptions<Thread>) {
    this.#options = options
  }

  /** The thread for one more link or bridge: that of its group, if this has members, else the least loaded. */
  place(group: string | undefined): Thread {
    const thread = group === undefined ? this.#idlest() : this.#join(group)
    thread.load += 1
    return thread
  }

  /** What was placed is gone. */
  release({ thread, group }: Placed<Thread>): void {
    thread.load -= 1
    const present = group === undefined ? undefined : this.#groups.get(group)
    if (group === undefined || present === undefined) return
    present.members -= 1
    if (present.members === 0) this.#groups.delete(group)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.stop()))
  }

  #join(name: string): Thread {
    const group = this.#groups.get(name) ?? { thread: this.#idlest(), members: 0 }
    group.members += 1
    this.#groups.set(name, group)
    return group.thread
  }

  /** The thread with the least load; a further one is started while every thread has some. */
  #idlest(): Thread {
    const [idlest] = this.#threads.toSorted((a, b) => a.load - b.load)
    const isRoom = this.#threads.length < this.#options.limit
    return idlest !== undefined && (idlest.load === 0 || !isRoom) ? idlest : this.#start()
  }

  #start(): Thread {
    const thread = this.#options.start()
    this.#threads.push(thread)
    return thread
  }
}
