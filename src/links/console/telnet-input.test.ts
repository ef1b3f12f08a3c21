import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TelnetInput } from './telnet-input.ts'

describe('TelnetInput', () => {
  for (const [what, bytes, keys] of [
    ['plain keys', [...Buffer.from('ping\r')], 'ping\r'],
    ['CR LF as one key', [...Buffer.from('a\r\nb')], 'a\rb'],
    ['CR NUL as one key', [97, 13, 0, 98], 'a\rb'],
    ['LF alone as CR', [...Buffer.from('a\nb')], 'a\rb'],
    ['option negotiation as nothing', [255, 253, 1, 97, 255, 251, 3], 'a'],
    ['a subnegotiation as nothing', [255, 250, 24, 0, 120, 255, 255, 255, 240, 97], 'a'],
    ['a command without option as nothing', [255, 241, 97], 'a'],
    ['a doubled 255 as one byte', [255, 255], '\xff'],
  ] as const) {
    it(`reads ${what}, wherever the bytes are cut`, () => {
      for (const size of [1, 2, 3, 100]) {
        const input = new TelnetInput()
        let read = ''
        for (let at = 0; at < bytes.length; at += size)
          read += input.read(Buffer.from(bytes.slice(at, at + size))).toString('latin1')
        assert.equal(read, keys)
      }
    })
  }
})
