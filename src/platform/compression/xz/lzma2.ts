import type { ByteSource } from '../byte-source.ts'
import type { DecompressorContext } from '../decompressor.ts'
import { LzmaDecoder } from './lzma-decoder.ts'
import { LzmaWindow, maxPieceBytes } from './lzma-window.ts'

const broken = 'it is broken'

/** What a piece needs that no piece before it gave. */
interface Needs {
  dictionary: boolean
  properties: boolean
  state: boolean
}

/** Opens LZMA2: pieces of up to two megabytes, each as LZMA or as it is. */
export async function* openLzma2(
  source: ByteSource,
  dictionaryBytes: number,
  { wrong }: DecompressorContext,
): AsyncGenerator<Uint8Array> {
  const window = new LzmaWindow(dictionaryBytes)
  const decoder = new LzmaDecoder(window)
  const needs: Needs = { dictionary: true, properties: true, state: true }
  for (;;) {
    const control = (await source.read(1))[0]
    if (control === undefined) throw wrong('it ends too early')
    if (control === 0) return
    window.prepare()
    const from = window.at
    const isGood = control < 0x80 ? addPlain : addLzma
    if (!meets(control, needs, window) || !(await isGood(source, control, { window, decoder, needs })))
      throw wrong(broken)
    yield Uint8Array.prototype.slice.call(window.bytes, from, window.at)
  }
}

interface Parts {
  readonly window: LzmaWindow
  readonly decoder: LzmaDecoder
  readonly needs: Needs
}

/** Whether a piece can come after those before it. */
function meets(control: number, needs: Needs, window: LzmaWindow): boolean {
  if (control === 1 || control >= 0xe0) {
    window.reset()
    needs.dictionary = false
    needs.properties = true
  }
  if (needs.dictionary || (control > 2 && control < 0x80)) return false
  if (control >= 0xc0) needs.properties = false
  else if (control >= 0x80 && needs.properties) return false
  if (control >= 0xa0) needs.state = false
  return control < 0x80 || !needs.state
}

async function addPlain(source: ByteSource, _control: number, { window }: Parts): Promise<boolean> {
  const header = await source.read(2)
  if (header.length < 2) return false
  const sizeBytes = ((header[0] as number) << 8) + (header[1] as number) + 1
  const bytes = await source.read(sizeBytes)
  window.bytes.set(bytes, window.at)
  window.at += bytes.length
  return bytes.length === sizeBytes
}

async function addLzma(source: ByteSource, control: number, { decoder }: Parts): Promise<boolean> {
  const hasProperties = control >= 0xc0
  const header = await source.read(hasProperties ? 5 : 4)
  if (header.length < (hasProperties ? 5 : 4)) return false
  const [high = 0, low = 0, packedHigh = 0, packedLow = 0, properties = 0] = header
  const sizeBytes = ((control & 0x1f) << 16) + (high << 8) + low + 1
  if (sizeBytes > maxPieceBytes || (hasProperties && !decoder.setProperties(properties))) return false
  if (control >= 0xa0) decoder.resetState()
  const piece = await source.read((packedHigh << 8) + packedLow + 1)
  return decoder.decode(piece, sizeBytes)
}
