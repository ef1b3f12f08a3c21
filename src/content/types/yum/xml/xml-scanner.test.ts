import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { XmlScanner } from './xml-scanner.ts'

/** What a document consists of, given in pieces of some size. */
function scan(text: string, pieceChars = text.length || 1): string[] {
  const scanner = new XmlScanner('x.xml')
  const found: string[] = []
  const run = () => {
    for (;;) {
      const token = scanner.next()
      if (token === 'more' || token === 'finished') return
      const last = found.at(-1) ?? ''
      if (token === 'start')
        found.push(
          `<${scanner.name}${[...scanner.attributes()].map(([name, value]) => ` ${name}=[${value}]`).join('')}>`,
        )
      else if (token === 'end') found.push(`</${scanner.name}>`)
      else if (last.startsWith('=')) found[found.length - 1] = last + scanner.text()
      else found.push(`=${scanner.text()}`)
    }
  }
  for (let at = 0; at < text.length; at += pieceChars) {
    scanner.add(text.slice(at, at + pieceChars))
    run()
  }
  scanner.finish()
  run()
  return found
}

describe('XmlScanner', () => {
  for (const [what, text, expected] of [
    ['an empty root', '<a/>', ['<a>', '</a>']],
    ['blanks in tags', '<a  b = "1"\n c=\'2\' ></a >', ['<a b=[1] c=[2]>', '</a>']],
    ['text', '<a>x &lt;&amp;&gt; y&#65;&#x42;&quot;&apos;</a>', ['<a>', `=x <&> yAB"'`, '</a>']],
    ['attributes with references', '<a b="&lt;&#10;>"/>', ['<a b=[<\n>]>', '</a>']],
    ['blanks in attributes', '<a b="1\t2\r\n3"/>', ['<a b=[1 2 3]>', '</a>']],
    ['ends of lines', '<a>1\r\n2\r3</a>', ['<a>', '=1\n2\n3', '</a>']],
    ['CDATA', '<a>1<![CDATA[<b>&amp;]]]]>2</a>', ['<a>', '=1<b>&amp;]]2', '</a>']],
    ['empty CDATA', '<a><![CDATA[]]></a>', ['<a>', '=', '</a>']],
    ['comments', '<!-- <a> --><a>1<!----> 2</a><!-- - -->', ['<a>', '=1 2', '</a>']],
    ['instructions', '<?xml version="1.0" encoding="UTF-8"?>\n<?x <y>?><a><?z?></a>', ['=\n', '<a>', '</a>']],
    ['a declaration with everything', `<?xml version='1.1' encoding='utf-8' standalone='yes' ?><a/>`, ['<a>', '</a>']],
    ['a DOCTYPE that only names', '<!DOCTYPE a PUBLIC "-//X//Y" "z.dtd"><a/>', ['<a>', '</a>']],
    ['a short DOCTYPE', '<!DOCTYPE a><a/>', ['<a>', '</a>']],
    ['prefixes', '<r:a x:b.c-d_1="é"><é/></r:a>', ['<r:a x:b.c-d_1=[é]>', '<é>', '</é>', '</r:a>']],
    ['nesting', '<a><b><c/></b><b>1</b></a>', ['<a>', '<b>', '<c>', '</c>', '</b>', '<b>', '=1', '</b>', '</a>']],
    ['brackets', '<a>]] ]] > ]</a>', ['<a>', '=]] ]] > ]', '</a>']],
    ['signs beyond the first plane', '<a b="😀">😀&#x1F600;</a>', ['<a b=[😀]>', '=😀😀', '</a>']],
  ] as const) {
    it(`reads ${what}, wherever it is cut`, () => {
      for (const pieceChars of [1, 2, 3, 5, 1000])
        assert.deepEqual(scan(text, pieceChars), expected, String(pieceChars))
    })
  }

  for (const [what, text] of [
    ['nothing', ''],
    ['blanks alone', ' \n'],
    ['text alone', 'abc'],
    ['JSON', '{"a": 1}'],
    ['a missing end', '<a><b></b>'],
    ['another end', '<a></b>'],
    ['a longer end', '<a></ab>'],
    ['ends in the wrong order', '<a><b></a></b>'],
    ['an end too many', '<a/></a>'],
    ['a second root', '<a/><b/>'],
    ['text before the root', 'x<a/>'],
    ['text behind the root', '<a/>x'],
    ['CDATA behind the root', '<a/><![CDATA[x]]>'],
    ['a comment without end', '<a/><!-- x'],
    ['a comment with two signs', '<a><!-- x -- y --></a>'],
    ['a comment with three signs', '<a><!-- x ---></a>'],
    ['an unknown entity', '<a>&nbsp;</a>'],
    ['an ampersand', '<a>a & b</a>'],
    ['an ampersand in an attribute', '<a b="a&b"/>'],
    ['a reference without end', '<a>&amp</a>'],
    ['a reference to NUL', '<a>&#0;</a>'],
    ['a reference to a control character', '<a>&#x1b;</a>'],
    ['a reference to half a sign', '<a>&#xD800;</a>'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>'],
    ['the end of CDATA in text', '<a>]]></a>'],
    ['a sign in an attribute', '<a b="<"/>'],
    ['an attribute without value', '<a b/>'],
    ['an attribute without quotes', '<a b=c/>'],
    ['an attribute without name', '<a ="c"/>'],
    ['an attribute twice', '<a b="1" c="2" b="3"/>'],
    ['attributes without a blank', '<a b="1"c="2"/>'],
    ['a slash in a tag', '<a / >'],
    ['an attribute of an end', '<a></a b="1">'],
    ['a number as a name', '<1/>'],
    ['no name', '< a/>'],
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an internal subset', '<!DOCTYPE a []><a/>'],
    ['a late DOCTYPE', '<a/><!DOCTYPE a>'],
    ['an ENTITY', '<!ENTITY b "c"><a/>'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>'],
    ['XML 2', '<?xml version="2.0"?><a/>'],
    ['a late declaration', '\n<?xml version="1.0"?><a/>'],
    ['NUL', '<a>\0</a>'],
    ['control characters', '<a b="\x1b"/>'],
    ['the depth', `${'<a>'.repeat(33)}${'</a>'.repeat(33)}`],
    ['many attributes', `<a ${Array.from({ length: 65 }, (_, index) => `b${index}="1"`).join(' ')}/>`],
  ] as const) {
    it(`refuses ${what}, wherever it is cut`, () => {
      for (const pieceChars of [1, 2, 3, 1000])
        assert.throws(
          () => scan(text, pieceChars),
          (error) =>
            error instanceof AppError && error.code === 'upstream' && error.message.startsWith('Cannot read x.xml: it'),
          String(pieceChars),
        )
    })
  }

  it('refuses every beginning of a document', () => {
    const text = `<?xml version="1.0"?>\n<!-- c --><a b="1">x&amp;<![CDATA[y]]><c d='2'/></a>`
    for (let length = 0; length < text.length; length++) assert.throws(() => scan(text.slice(0, length)), AppError)
    assert.equal(scan(text).length, 6)
  })

  it('gives the document as it is written, wherever it is cut', () => {
    const inner = `<b c='1' >x &amp;\r\n<![CDATA[y]]><!-- z --></b>`
    for (const pieceChars of [1, 2, 3, 7, 1000]) {
      const text = `<a> ${inner}<d/></a>`
      const scanner = new XmlScanner('x.xml')
      let kept = ''
      for (let at = 0; at < text.length; at += pieceChars) {
        scanner.add(text.slice(at, at + pieceChars))
        for (let token = scanner.next(); token !== 'more'; token = scanner.next()) {
          if (token === 'start' && scanner.name === 'b') scanner.keepFrom(scanner.from)
          if (token === 'end' && scanner.name === 'b') kept = scanner.takeKept(scanner.to)
        }
      }
      assert.equal(kept, inner, String(pieceChars))
    }
  })
})
