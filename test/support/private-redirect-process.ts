import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFileRepository, syncToEnd } from './content.ts'
import { startTestServer } from './test-server.ts'

/*
 * Run with a public address as its argument, in a network of its own where this machine has it: an upstream there redirects
 * everything to a private address, which is denied, or only the files of its manifest. Prints what the syncs said, and how
 * often the private address was asked.
 */
const address = process.argv[2] ?? ''

async function listen(host: string, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, host)
  server.unref()
  await once(server, 'listening')
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

let asked = 0
const hidden = await listen('127.0.0.1', (_, response) => {
  asked += 1
  response.end('secret')
})
const digest = createHash('sha256').update('secret').digest('hex')
const upstream = await listen(address, ({ url }, response) => {
  if (url === '/some/PULP_MANIFEST') response.end(`moved,${digest},6\n`)
  else response.writeHead(302, { location: `${hidden}/secret` }).end()
})
await using server = await startTestServer({ BACKHAUL_FETCH_DENY: 'private' })
const messages: string[] = []
for (const path of ['/all/', '/some/']) {
  const repository = await createFileRepository(server, upstream + path)
  const task = await syncToEnd(server, repository.id)
  messages.push(task.humanized.errors.join())
}
process.stdout.write(JSON.stringify({ messages, asked }))
