import type { MessagePort } from 'node:worker_threads'
import type { PreparedFilter } from '../../filters/index.ts'
import type { BridgeSpec, BridgeStatistics, LearntAddress } from '../bridge-spec.ts'

export type LinkEnd = 0 | 1

/** What a port stands on: an open descriptor, which stays the caller's, or a bridge of the same thread. */
export type ThreadPort = DescriptorPort | { readonly kind: 'bridge'; readonly bridgeId: string; readonly port: number }

export interface DescriptorPort {
  readonly kind: 'udp' | 'tap' | 'interface'
  readonly fd: number
}

/** What a data thread is told, by name. Each is done when it is answered. */
export type ThreadCalls = {
  openLink(parameters: {
    readonly linkId: string
    readonly counters: SharedArrayBuffer
    readonly filters: readonly PreparedFilter[]
    readonly suspended: boolean
    readonly seed: number
  }): void
  closeLink(parameters: { readonly linkId: string }): void
  attachPort(parameters: { readonly linkId: string; readonly end: LinkEnd; readonly port: ThreadPort }): void
  detachPort(parameters: { readonly linkId: string; readonly end: LinkEnd }): void
  setFilters(parameters: { readonly linkId: string; readonly filters: readonly PreparedFilter[] }): void
  setSuspended(parameters: { readonly linkId: string; readonly suspended: boolean }): void
  startCapture(parameters: { readonly linkId: string; readonly key: number }): void
  stopCapture(parameters: { readonly linkId: string; readonly key: number }): void
  openBridge(parameters: { readonly bridgeId: string; readonly spec: BridgeSpec }): void
  closeBridge(parameters: { readonly bridgeId: string }): void
  bridgeStatistics(parameters: { readonly bridgeId: string }): BridgeStatistics
  macTable(parameters: { readonly bridgeId: string }): LearntAddress[]
  stop(parameters: Record<string, never>): void
}

/** What a data thread says unasked. */
export type ThreadEvent =
  | { readonly event: 'block'; readonly key: number; readonly block: ArrayBuffer; readonly length: number }
  /** The capture was ended, because too many of its blocks are still to be written. */
  | { readonly event: 'captureOverrun'; readonly key: number }

/** A block that has been written, on its way back; `key` is that of its capture. */
export interface ReturnedBlock {
  readonly key: number
  readonly block: ArrayBuffer
}

/** What a data thread is started with. */
export interface ThreadStart {
  /** An eventfd: rung after each call that is posted. */
  readonly doorbell: number
  /** Written blocks come back here, without the doorbell. */
  readonly returns: MessagePort
  readonly queueLimitBytes: number
}
