import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../../platform/errors.ts'
import type { PackageFields } from '../packages/package-fields.ts'
import type { PackageFragments } from '../packages/package-fragments.ts'
import { describeRpm } from './describe-rpm.ts'
import type { RpmHeaders } from './read-rpm-headers.ts'
import { RpmHeader } from './rpm-header.ts'

/** The headers of a package, and what they do not say of its file. */
export interface DescribeOrder extends Pick<RpmHeaders, 'isSource' | 'range'> {
  readonly signature: Uint8Array
  readonly main: Uint8Array
  readonly file: { readonly sizeBytes: number; readonly fileTime: number }
}

export type DescribeAnswer =
  | { readonly fields: PackageFields; readonly fragments: PackageFragments }
  /** What is wrong with the package. */
  | { readonly problem: string }

function describe({ isSource, range, signature, main, file }: DescribeOrder): DescribeAnswer {
  try {
    const headers = { isSource, range, signature: headerOf(signature), main: headerOf(main) }
    const { fields, fragments } = describeRpm(headers, file)
    return { fields, fragments }
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid') return { problem: error.message }
    throw error
  }
}

function headerOf(bytes: Uint8Array): RpmHeader {
  return new RpmHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

parentPort?.postMessage(describe(workerData as DescribeOrder))
