import { isLikely } from '../../test/support/binomial.ts'
import { exec, startHostLab } from '../../test/support/host-lab.ts'
import { put } from '../../test/support/lab.ts'
import { openProgram } from '../program.ts'
import { claim, note } from '../report.ts'

const delayMs = 20
const lossPercent = 1
const runs = 5
const maximumSegmentBytes = 1448
/** For random losses and a receiver whose every segment counts, as Linux counts them (Mathis et al. 1997, table 1). */
const constant = 1.31

/** Whether TCP Reno is as slow through a bad link as theory says: MSS / RTT × C / √p. */
export async function renoThroughLoss(seconds: number): Promise<void> {
  const expected = ((maximumSegmentBytes * 8) / ((2 * delayMs) / 1000)) * (constant / Math.sqrt(lossPercent / 100))
  note(`\nTCP Reno between two hosts, ${delayMs} ms and ${lossPercent} % loss each way, ${runs} runs of ${seconds} s`)
  await using program = await openProgram()
  const { server } = program
  const lab = await startHostLab(server)
  await put(server, lab.linkPath, { filters: { delay: [delayMs], packet_loss: [lossPercent] } })
  await exec(server, lab, { host: 1, command: 'iperf3 -s -D' })
  const rates: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const command = `iperf3 -c 10.0.0.2 -C reno -t ${seconds} -O 2 -J`
    const { stdout } = await exec(server, lab, { host: 0, command, timeout_ms: (seconds + 30) * 1000 })
    rates.push(JSON.parse(stdout).end.sum_received.bits_per_second)
  }
  const { forward } = (await server.ask(`${lab.linkPath}/statistics`)).body
  const lost = forward.dropped.packet_loss
  const median = rates.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
  note(
    `  ${rates.map((rate) => (rate / 1e6).toFixed(2)).join(', ')} Mbit/s; the formula: ${(expected / 1e6).toFixed(2)}`,
  )
  note(`  ${lost} of ${forward.frames_in} frames lost`)
  claim('median, of the formula', median / expected, { atLeast: 0.75, atMost: 1.25 })
  claim('losses likely for that chance (1: yes)', Number(isLikely(lost, forward.frames_in, lossPercent / 100)), {
    atLeast: 1,
  })
}
