import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { TestNamespace } from './test-namespace.ts'

const execute = promisify(execFile)

export interface Transfer {
  readonly from: TestNamespace
  readonly to: TestNamespace
  /** Where the receiver listens. */
  readonly address: string
  readonly megabytes: number
}

const receiver = `
  const hash = require('node:crypto').createHash('sha256')
  const server = require('node:net').createServer((socket) => {
    socket.on('data', (data) => hash.update(data))
    socket.on('end', () => process.stdout.write(hash.digest('hex'), () => process.exit()))
  })
  server.listen(5000, process.argv[1], () => process.stdout.write('ready '))
`

const sender = `
  const { createHash, randomBytes } = require('node:crypto')
  const { once } = require('node:events')
  async function send() {
    const hash = createHash('sha256')
    const socket = require('node:net').connect(5000, process.argv[1])
    const block = randomBytes(1_000_000)
    for (let count = 0; count < process.argv[2]; count += 1) {
      const data = Buffer.from(block)
      data.writeUInt32LE(count)
      hash.update(data)
      if (!socket.write(data)) await once(socket, 'drain')
    }
    socket.end()
    process.stdout.write(hash.digest('hex'))
  }
  void send()
`

/** Sends bytes over TCP; gives the digests of what was sent and of what arrived. */
export async function transfer({
  from,
  to,
  address,
  megabytes,
}: Transfer): Promise<{ sent: string; received: string }> {
  const server = to.start(process.execPath, '--eval', receiver, address)
  try {
    const [ready] = (await once(server.stdout, 'data')) as [Buffer]
    const [client, rest] = await Promise.all([
      execute('ip', ['netns', 'exec', from.name, process.execPath, '--eval', sender, address, String(megabytes)]),
      text(server.stdout),
    ])
    return { sent: client.stdout, received: `${ready}${rest}`.replace('ready ', '') }
  } finally {
    server.kill('SIGKILL')
  }
}
