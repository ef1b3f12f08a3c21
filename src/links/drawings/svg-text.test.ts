import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSvgText } from './svg-text.ts'

describe('isSvgText', () => {
  for (const text of [
    '<svg/>',
    '<svg></svg>',
    ' <svg height="1" width="2"><rect /></svg>\n',
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a -- >-->\n<svg></svg >'.replace(' -- >', ''),
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg></svg>',
    `<svg>${'<g/>'.repeat(1_000_000)}</svg>`,
  ]) {
    it(`takes ${text.slice(0, 60)}`, () => assert.equal(isSvgText(text), true))
  }

  for (const text of [
    '',
    'svg',
    '<svgx></svgx>',
    '<svg>',
    'x<svg></svg>',
    '<svg></svg>x',
    '<html><svg></svg></html>',
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
    '0c3b.png',
    `${' '.repeat(3_000_000)}<svg></svg>`,
    '<!--'.repeat(1_000_000),
    `${'<!-- '.repeat(10_000)}<svg></svg>`,
  ]) {
    it(`refuses ${text.slice(0, 60)}`, () => assert.equal(isSvgText(text), false))
  }
})
