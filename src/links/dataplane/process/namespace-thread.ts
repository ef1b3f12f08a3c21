import { closeSync, openSync } from 'node:fs'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { AppError } from '../../../platform/errors.ts'
import { errno, errorName, type Libc, loadLibc } from '../../../platform/native/libc.ts'
import { answerNow, type Call } from '../call-table.ts'
import type { DescriptorPortSpec } from '../protocol.ts'
import { type OpenedPort, openPort } from './open-port.ts'

/** What the namespace thread is asked. */
export type NamespaceCalls = {
  openPort(parameters: { readonly namespace: string; readonly port: DescriptorPortSpec }): OpenedPort
}

const newNetwork = 0x40000000

/**
 * Serves calls that open things inside network namespaces. setns(2) moves the calling thread only, so the rest of the
 * process stays where it is; and a descriptor keeps the namespace it was opened in, whoever uses it.
 */
function runNamespaceThread(messages: MessagePort): void {
  const libc = loadLibc()
  const home = openSync('/proc/thread-self/ns/net', 'r')
  const calls: NamespaceCalls = {
    openPort: ({ namespace, port }) => inside(libc, { namespace, home }, () => openPort(libc, port)),
  }
  messages.on('message', (call: Call) => messages.postMessage(answerNow(calls, call)))
}

/** Runs `open` in the namespace and comes back, also when it throws. A thread that cannot come back ends. */
function inside<T>(libc: Libc, { namespace, home }: { namespace: string; home: number }, open: () => T): T {
  enter(libc, namespace)
  try {
    return open()
  } finally {
    if (libc.setns(home, newNetwork) < 0) process.exit(1)
  }
}

function enter(libc: Libc, namespace: string): void {
  const fd = openNamespace(namespace)
  try {
    if (libc.setns(fd, newNetwork) < 0) throw refusal(namespace, errorName(errno()))
  } finally {
    closeSync(fd)
  }
}

function openNamespace(namespace: string): number {
  try {
    return openSync(namespace, 'r')
  } catch (error) {
    throw refusal(namespace, (error as NodeJS.ErrnoException).code ?? String(error))
  }
}

function refusal(namespace: string, reason: string): AppError {
  const text = reason === 'ENOENT' ? 'it does not exist (any more)' : reason
  return new AppError('unavailable', `Cannot enter network namespace "${namespace}": ${text}`)
}

if (parentPort !== null) runNamespaceThread(parentPort)
