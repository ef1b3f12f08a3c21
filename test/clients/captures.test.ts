import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Heard, listen } from '../support/events.ts'
import { post, put } from '../support/lab.ts'
import { lacksProgram, lacksRoot } from '../support/programs.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'
import { createUdpLab, numberedFrame } from '../support/udp-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

/** tshark at the end of a pipe from curl, as people watch a link: a line with number and length for each frame. */
function watch(path: string) {
  const url = new URL(`${path}/pcap`, server.api).href
  const fields = '-T fields -e frame.number -e frame.len'
  const command = `curl -sN -u "$LOGIN" "${url}" | tshark -l -n -Q -i - ${fields}`
  const env = { ...process.env, LOGIN: `admin:${adminPassword}` }
  const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'], env })
  const lines: string[] = []
  let rest = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() as string
    lines.push(...pieces)
  })
  return { lines, ended: once(shell, 'close') }
}

describe('a live capture', { skip: lacksProgram('curl', 'tshark') }, () => {
  it('is read by tshark from curl while it grows, and ends cleanly with the capture', async () => {
    await using lab = await createUdpLab(server)
    await post(server, `${lab.linkPath}/start_capture`)
    const early = watch(lab.linkPath)
    for (let number = 0; number < 20; number += 1) await lab.left.send(numberedFrame(number, 200))
    await waitUntil('tshark has shown twenty', () => early.lines.length === 20)
    const late = watch(lab.linkPath)
    await waitUntil('who comes late sees them too', () => late.lines.length === 20)
    await lab.right.send(numberedFrame(20, 300))
    await waitUntil('both see the next', () => early.lines.length === 21 && late.lines.length === 21)
    await post(server, `${lab.linkPath}/stop_capture`)

    assert.deepEqual(await early.ended, [0, null])
    assert.equal(early.lines[0], '1\t200')
    assert.equal(early.lines[20], '21\t300')
  })

  it('ends with a clear word when the disk is full, and the link carries on', { skip: lacksRoot }, async () => {
    await using lab = await createUdpLab(server)
    const { path } = (await server.ask(lab.base)).body
    const folder = join(path, 'project-files', 'captures')
    await mkdir(folder, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
    try {
      await using listener = await listen(server, `${lab.base}/notifications`)
      await post(server, `${lab.linkPath}/start_capture`)
      for (let number = 0; number < 200; number += 1) await lab.left.send(numberedFrame(number, 1000))
      const heard = await listener.until('log.error')

      const { event } = heard.find(({ action }) => action === 'log.error') as Heard
      assert.match(event.message, /capture .*ended: .*(space|ENOSPC)/i)
      await waitUntil('the link says so', async () => (await server.ask(lab.linkPath)).body.capturing === false)
      await waitUntil('all frames are through', () => lab.right.arrivals.length === 200)
      assert.equal((await server.ask(`${lab.linkPath}/stop_capture`, { method: 'POST' })).status, 201)
    } finally {
      execFileSync('umount', [folder])
    }
  })

  it('holds exactly what the statistics count as having left, with filters in force and changing', async () => {
    await using lab = await createUdpLab(server)
    const left = async () => {
      const { forward, reverse } = (await server.ask(`${lab.linkPath}/statistics`)).body
      const queued = forward.queued_frames + reverse.queued_frames
      return { taken: forward.frames_in + reverse.frames_in, sent: forward.frames_out + reverse.frames_out, queued }
    }
    await post(server, `${lab.linkPath}/start_capture`)
    const sets = [{}, { packet_loss: [30] }, { delay: [5, 2] }, { corrupt: [50], frequency_drop: [4] }, {}]
    let number = 0
    for (const filters of sets) {
      await put(server, lab.linkPath, { filters })
      for (let each = 0; each < 1000; each += 1) {
        number += 1
        await (number % 2 === 0 ? lab.left : lab.right).send(numberedFrame(number))
      }
    }
    const { sent } = await waitUntil('all are through', async () => {
      const now = await left()
      return now.taken === number && now.queued === 0 && now
    })
    await post(server, `${lab.linkPath}/stop_capture`)
    const { lines, ended } = watch(lab.linkPath)
    await ended

    assert.equal(lines.length, sent)
    assert.ok(sent < number)
  })
})
