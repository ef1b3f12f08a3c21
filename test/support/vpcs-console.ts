import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

const patienceMs = 15_000

/** Types a command at a virtual PC's console when it shows its prompt, and gives what is shown until `pattern` is found. */
export async function typeAt(port: number, command: string, pattern: RegExp): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs)
  const socket = connect(port, '127.0.0.1')
  let shown = ''
  socket.on('data', (chunk) => {
    shown += chunk.toString('latin1')
  })
  const until = async (wanted: RegExp) => {
    while (!wanted.test(shown)) await once(socket, 'data', { signal })
  }
  try {
    await once(socket, 'connect', { signal })
    await until(/VPCS> $/)
    // that prompt may stand within what the console has shown before, of which the rest is still to come
    const mark = randomUUID()
    socket.write(`echo ${mark}\r`)
    await until(new RegExp(`\n\r?${mark}[^]*VPCS> $`))
    shown = ''
    socket.write(`${command}\r`)
    await until(pattern)
    return shown
  } catch (error) {
    throw new Error(`The console did not show ${pattern} after "${command}", but: ${shown}`, { cause: error })
  } finally {
    socket.destroy()
  }
}

/** The round trips of so many pings to an address, in ms; fewer when some were not answered. */
export async function ping(port: number, address: string, count = 3): Promise<number[]> {
  const shown = await typeAt(
    port,
    `ping ${address} -c ${count} -i 100`,
    new RegExp(`(icmp_seq=${count}|not reachable)[^\\n]*\\n`),
  )
  return [...shown.matchAll(/time=([\d.]+) ms/g)].map(([, time]) => Number(time))
}
