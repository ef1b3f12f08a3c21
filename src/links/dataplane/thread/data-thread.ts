import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../platform/errors.ts'
import { loadLibc } from '../../../platform/native/libc.ts'
import { answerNow, type Call } from '../call-table.ts'
import { PortBlocks } from './block-exchange.ts'
import { BridgeTools } from './bridge/bridge-port.ts'
import { ThreadBridges } from './bridge/thread-bridges.ts'
import { DataLoop } from './data-loop.ts'
import { ChunkPool } from './delay-queue.ts'
import type { DirectionTools } from './direction.ts'
import { Outbox } from './outbox.ts'
import type { Port } from './port.ts'
import { PortFactory } from './port-factory.ts'
import type { ThreadCalls, ThreadPort, ThreadStart } from './thread-calls.ts'
import { ThreadLink } from './thread-link.ts'
import { WallClock } from './wall-clock.ts'

/** prctl(2): how late a wait of this thread may end, in ns; the default of 50 µs is a visible error of a delay. */
const setTimerSlack = 29
const timerSlackNs = 1000

/** The entry of a data thread: carries the frames of its links until it is told to stop. */
function runDataThread({ doorbell, returns, queueLimitBytes }: ThreadStart): void {
  const port = parentPort
  if (port === null) throw new Error('Cannot run a data thread as a program')

  const libc = loadLibc()
  libc.prctl(setTimerSlack, timerSlackNs, 0, 0, 0)

  const obey = () => {
    for (;;) {
      const received: { message: Call } | undefined = receiveMessageOnPort(port)
      if (received === undefined) return
      port.postMessage(answerNow(calls, received.message))
    }
  }
  const loop = new DataLoop({ libc, doorbell, obey })
  const blocks = new PortBlocks({ returns, post: (event, transfer) => port.postMessage(event, transfer) })
  const tools = { outbox: new Outbox(), chunks: new ChunkPool(), clock: new WallClock(libc), queueLimitBytes }
  const bridges = new ThreadBridges(new BridgeTools(tools.chunks))
  const calls = threadCalls({ loop, blocks, tools, bridges, ports: new PortFactory(libc) })
  loop.run()
  returns.close()
}

interface ThreadParts {
  readonly loop: DataLoop
  readonly blocks: PortBlocks
  readonly tools: DirectionTools
  readonly bridges: ThreadBridges
  readonly ports: PortFactory
}

function threadCalls({ loop, blocks, tools, bridges, ports }: ThreadParts): ThreadCalls {
  const links = new Map<string, ThreadLink>()
  const get = (linkId: string): ThreadLink => {
    const link = links.get(linkId)
    if (link === undefined) throw new AppError('not_found', `Cannot find link "${linkId}" in its data thread`)
    return link
  }
  const openPort = (port: ThreadPort): Port =>
    port.kind === 'bridge' ? bridges.openPort(port.bridgeId, port.port) : ports.create(port)

  return {
    openLink({ linkId, counters, filters, suspended, seed }) {
      const link = new ThreadLink({ loop, tools, blocks, counters, seed })
      link.setFilters(filters)
      link.setSuspended(suspended)
      links.set(linkId, link)
    },
    closeLink({ linkId }) {
      links.get(linkId)?.close()
      links.delete(linkId)
    },
    attachPort: ({ linkId, end, port }) => get(linkId).attach(end, openPort(port)),
    detachPort: ({ linkId, end }) => get(linkId).detach(end),
    setFilters: ({ linkId, filters }) => get(linkId).setFilters(filters),
    setSuspended: ({ linkId, suspended }) => get(linkId).setSuspended(suspended),
    startCapture: ({ linkId, key }) => get(linkId).startCapture(key),
    stopCapture({ linkId, key }) {
      get(linkId).stopCapture(key)
      if (loop.captures === 0) blocks.clear()
    },
    openBridge: ({ bridgeId, spec }) => bridges.open(bridgeId, spec),
    closeBridge: ({ bridgeId }) => bridges.close(bridgeId),
    bridgeStatistics: ({ bridgeId }) => bridges.get(bridgeId).statistics(performance.now()),
    macTable: ({ bridgeId }) => bridges.get(bridgeId).macTable(performance.now()),
    stop: () => loop.stop(),
  }
}

runDataThread(workerData as ThreadStart)
