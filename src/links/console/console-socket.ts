import type { SocketPeer, SocketRoute } from '../../platform/http/web-sockets.ts'
import type { NodeRunner } from '../nodes/node-runner.ts'
import type { TelnetConsole } from './telnet-console.ts'

/** Consoles for browsers: what the node shows as binary messages, what is typed as messages of any kind. */
export function consoleSockets(runner: NodeRunner): SocketRoute[] {
  return [
    {
      path: '/v2/projects/{project_id}/nodes/{node_id}/console/ws',
      open: async ({ actor, params }) => {
        const address = { projectId: params['project_id'] ?? '', id: params['node_id'] ?? '' }
        const { console, ended } = await runner.getConsole(actor, address)
        return (peer) => Promise.race([join(peer, console), ended.then(() => undefined)])
      },
    },
  ]
}

/** Resolves when the peer has gone, or reads too slowly. */
async function join(peer: SocketPeer, console: TelnetConsole): Promise<void> {
  const lost = Promise.withResolvers<void>()
  const leave = console.watch((bytes) => void peer.send(bytes).catch(() => lost.resolve()))
  const type = async () => {
    for await (const keys of peer.messages()) console.type(keys)
  }
  try {
    await Promise.race([type(), lost.promise])
  } finally {
    leave()
  }
}
