import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { lacksVpcs } from '../support/lab.ts'

describe('the demo', { skip: lacksVpcs }, () => {
  it('shows both halves at work and prints what it measured', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../scripts/demo.ts')])

    const [, before] = /Ping through the link: ([\d.]+) ms/.exec(stdout) ?? []
    const [, delayed] = /80 ms of delay in each direction: ([\d.]+) ms/.exec(stdout) ?? []
    assert.ok(Number(before) < 80, stdout)
    assert.ok(Number(delayed) >= 160, stdout)
    assert.match(stdout, /Captured \d+ frames/)
    assert.match(stdout, /nothing had changed: 1 request/)
    assert.match(stdout, /byte for byte the upstream's/)
  })
})
