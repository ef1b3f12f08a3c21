import { answerInThread } from '../../../../platform/threads/answer-in-thread.ts'
import { type DescribedRpm, describeRpm } from './describe-rpm.ts'
import type { RpmHeaders } from './read-rpm-headers.ts'
import { RpmHeader } from './rpm-header.ts'

/** The headers of a package, and what they do not say of its file. */
export interface DescribeOrder extends Pick<RpmHeaders, 'isSource' | 'range'> {
  readonly signature: Uint8Array
  readonly main: Uint8Array
  readonly file: { readonly sizeBytes: number; readonly fileTime: number }
}

/** What is to be known of a package before it is stored. */
export interface Described extends Pick<DescribedRpm, 'fields' | 'fragments'> {
  readonly modularityLabel: string
}

answerInThread(async ({ isSource, range, signature, main, file }: DescribeOrder): Promise<Described> => {
  const headers = { isSource, range, signature: headerOf(signature), main: headerOf(main) }
  const { fields, details, fragments } = describeRpm(headers, file)
  return { fields, fragments, modularityLabel: details.modularityLabel }
})

function headerOf(bytes: Uint8Array): RpmHeader {
  return new RpmHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}
