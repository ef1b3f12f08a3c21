/** One field of a form, a file or not. Its bytes are there to be taken until the next part is asked for. */
export interface FormPart {
  readonly name: string
  /** Given by the sender; not to be trusted. */
  readonly filename: string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

/** No honest form has more fields. */
export const maxParts = 1000
