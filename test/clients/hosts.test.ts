import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { exec, type HostLab, lacksHosts, startHostLab } from '../support/host-lab.ts'
import { post, put } from '../support/lab.ts'
import { lacksProgram } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('hosts', { skip: lacksHosts }, () => {
  let server: TestServer
  let lab: HostLab
  before(async () => {
    server = await startTestServer()
    lab = await startHostLab(server)
  })
  after(() => server[Symbol.asyncDispose]())
  const run = (host: 0 | 1, command: string | readonly string[], more: object = {}) =>
    exec(server, lab, { host, command, ...more })

  it('reach each other through their link by IPv4 and IPv6', async () => {
    assert.equal((await run(0, 'ping -c 3 -i 0.05 10.0.0.2')).exit_code, 0)
    assert.equal((await run(1, 'ping -c 3 -i 0.05 fd00::1')).exit_code, 0)
    const { forward } = (await server.ask(`${lab.linkPath}/statistics`)).body
    assert.ok(forward.frames_out >= 6, JSON.stringify(forward))
  })

  it('see their cable pulled when the link is deleted, and plugged in again', async () => {
    const other = await startHostLab(server)
    const carrier = async () =>
      (await exec(server, other, { host: 0, command: 'cat /sys/class/net/eth0/carrier; ip -br link show eth0' })).stdout
    assert.match(await carrier(), /LOWER_UP/)
    await server.ask(other.linkPath, { method: 'DELETE' })
    await waitUntil('no carrier', async () => /NO-CARRIER/.test(await carrier()))
    const ends = other.nodes.map((node_id) => ({ node_id, adapter_number: 0, port_number: 0 }))
    await post(server, `${other.base}/links`, { nodes: ends })
    await waitUntil('a carrier', async () => /LOWER_UP/.test(await carrier()))
    await waitUntil('a ping', async () => {
      return (await exec(server, other, { host: 0, command: 'ping -c 1 -W 1 10.0.0.2' })).exit_code === 0
    })
  })

  it('carry TCP intact at full speed, with filters and while they are captured', {
    skip: lacksProgram('iperf3'),
  }, async () => {
    assert.equal((await run(1, 'iperf3 -s -D -1 --logfile /tmp/log && sleep 0.3')).exit_code, 0)
    const fast = await run(0, 'iperf3 -c 10.0.0.2 -t 2 -J')
    assert.equal(fast.exit_code, 0, fast.stdout + fast.stderr)
    assert.ok(JSON.parse(fast.stdout).end.sum_received.bytes > 10_000_000)

    await put(server, lab.linkPath, { filters: { delay: [2], packet_loss: [0.1] } })
    await post(server, `${lab.linkPath}/start_capture`)
    const sent = await run(0, 'head -c 20000000 /dev/urandom > /tmp/sent; sha256sum < /tmp/sent')
    const [received] = await Promise.all([
      run(1, 'socat -u TCP:10.0.0.1:7000,retry=100,interval=0.1 - | sha256sum'),
      run(0, 'socat -u FILE:/tmp/sent TCP-LISTEN:7000'),
    ])
    await post(server, `${lab.linkPath}/stop_capture`)
    await put(server, lab.linkPath, { filters: {} })
    assert.equal(received.stdout, sent.stdout)
  })

  it('answer what a command said, how it ended, and end it at its time-out', async () => {
    const answer = await run(0, 'echo out; echo err >&2; exit 3')
    assert.deepEqual(
      { ...answer },
      { exit_code: 3, signal: null, timed_out: false, truncated: false, stdout: 'out\n', stderr: 'err\n' },
    )
    assert.equal((await run(0, ['cat'], { input: 'typed' })).stdout, 'typed')
    assert.equal((await run(0, ['printf', '%s|', 'a b', '$HOME', ';ls'])).stdout, 'a b|$HOME|;ls|')
    const late = await run(0, 'sleep 60 & sleep 60', { timeout_ms: 200 })
    assert.equal(late.timed_out, true)
    assert.equal((await run(0, ['pgrep', 'sleep'])).stdout, '')
    assert.equal((await run(0, ['no-such-program'])).exit_code, 127)
  })

  it('bound the output that is kept', async () => {
    const answer = await post(server, `${lab.base}/nodes/${lab.nodes[0]}/exec`, {
      command: 'head -c 3000000 /dev/zero | tr "\\0" x',
    })
    assert.equal(answer.truncated, true)
    assert.equal(answer.stdout.length, 1024 * 1024)
  })

  it('cannot reach the data folder, the processes, the devices or the network of this machine', async () => {
    const secret = join(server.folder, 'data', 'secret')
    await writeFile(secret, 'do not tell', { mode: 0o644 })
    const { stdout: shown } = await run(
      0,
      `cat ${secret} ${join(server.folder, 'data', 'secret-key')}; ls ${server.folder}; ls /root /home /work`,
    )
    assert.doesNotMatch(shown, /do not tell|data/)
    assert.match((await run(0, 'cat /etc/shadow')).stderr, /Permission denied/)
    assert.ok(!(await run(0, ['ps', 'ax'])).stdout.includes(`${process.pid} `))
    assert.equal((await run(0, 'ip -br link')).stdout.split('\n').filter(Boolean).length, 2)
    const port = new URL(server.api).port
    assert.notEqual((await run(0, `exec 3<>/dev/tcp/127.0.0.1/${port}`)).exit_code, 0)
    for (const command of [
      'mount -t tmpfs x /mnt',
      'mknod /tmp/m c 1 1',
      'touch /usr/x',
      'chroot /proc/1/root ls',
      'date -s 2020-01-01',
    ])
      assert.notEqual((await run(0, command)).exit_code, 0, command)
    assert.equal((await run(0, 'echo kept > /node/file && cat /node/file')).stdout, 'kept\n')
  })

  it('may do as root does in their own network', async () => {
    const answer = await run(
      1,
      'sysctl -w net.ipv4.ip_forward=1 && ip address add 192.0.2.1/32 dev lo && ip -4 -br addr show lo',
    )
    assert.equal(answer.exit_code, 0, answer.stderr)
    assert.match(answer.stdout, /192\.0\.2\.1/)
  })

  it('run their start-up commands, and say which one keeps them from starting', async () => {
    const other = await startHostLab(server, {
      startup_commands: ['echo ready > /tmp/mark', 'ip route add 198.51.100.0/24 dev eth0'],
    })
    assert.equal((await exec(server, other, { host: 1, command: 'cat /tmp/mark' })).stdout, 'ready\n')
    const path = `${other.base}/nodes/${other.nodes[0]}`
    await post(server, `${path}/stop`)
    await put(server, path, { properties: { startup_commands: ['true', 'echo because >&2; false'] } })
    const refused = await server.ask(`${path}/start`, { method: 'POST' })

    assert.equal(refused.status, 409)
    assert.match(refused.body.message, /H1.*because/)
    assert.equal((await server.ask(path)).body.status, 'stopped')
  })

  it('have a shell at their console, and a new one when it is left', async () => {
    const { console } = (await server.ask(`${lab.base}/nodes/${lab.nodes[0]}`)).body
    const { connect } = await import('node:net')
    const socket = connect(console, '127.0.0.1')
    let shown = ''
    socket.on('data', (bytes) => {
      shown += bytes.toString('latin1')
    })
    socket.write('echo $((6*7)) on $(hostname); exit\r')
    await waitUntil('the answer', () => /42 on H1/.test(shown))
    socket.write('echo again $((6*8))\r')
    await waitUntil('the answer of the next shell', () => /again 48/.test(shown))
    socket.destroy()
  })
})
