import { invalidField } from '../../platform/errors.ts'

/** A node's port, as the default name of a capture says it. */
export interface CapturedEnd {
  readonly nodeName: string
  readonly adapter: number
  readonly port: number
}

/** `PC1_0-0_to_PC2_0-0.pcap`. */
export function defaultCaptureName(ends: readonly [CapturedEnd, CapturedEnd]): string {
  const [first, second] = ends.map(({ nodeName, adapter, port }) => `${nodeName}_${adapter}-${port}`)
  return `${`${first}_to_${second}`.replaceAll(/[^0-9A-Za-z_-]/g, '').slice(0, 200)}.pcap`
}

/**
 * A capture is a plain file of the project's captures, whatever its name.
 *
 * @throws AppError `invalid` naming `capture_file_name`
 */
export function checkCaptureName(name: string): string {
  const isPlain = !/[/\\]/.test(name) && !hasControlCharacters(name) && name !== '.' && name !== '..'
  if (!isPlain) throw invalidField('capture_file_name', 'must be a plain file name, without a path')
  if (Buffer.byteLength(name) > 250) throw invalidField('capture_file_name', 'is longer than 250 bytes')
  return name
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => (character.codePointAt(0) as number) < 32)
}
