/** Something that happened in a project, as its listeners are told. */
export interface LabEvent {
  /** Such as `link.updated`. */
  readonly action: string
  /** The whole object after the change; for deletions the last one. */
  readonly event: object
  /** The users who may know of it besides administrators, where that can no longer be found out. */
  readonly audience?: ReadonlySet<number>
}

export type Listener = (event: LabEvent) => void

/** Whose events: those of a project by its id, or those of the server itself, such as projects that come and go. */
export type Topic = string | typeof controller

export const controller = Symbol('controller')

/**
 * Carries news from whoever changed something to whoever listens, at once and in order. Publish after the change is
 * stored and before the project is given free for the next one: then the order of events is the order of changes.
 */
export class EventBus {
  readonly #listeners = new Map<Topic, Set<Listener>>()

  publish(topic: Topic, action: string, event: object): void {
    this.publishEvent(topic, { action, event })
  }

  publishEvent(topic: Topic, event: LabEvent): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(event)
  }

  /** Calls the listener for each event from now on, until the function that is given back is called. */
  listen(topic: Topic, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(topic)
    }
  }
}
