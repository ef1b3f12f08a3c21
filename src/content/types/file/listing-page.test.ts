import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseListingPage } from './listing-page.ts'

const page = new URL('http://mirror.example/pub/x/')
const read = (html: string, at = page) => parseListingPage(html, at)
const titled = (html: string) => `<html><head><title>Index of /pub/x</title></head><body>${html}</body></html>`
const link = (href: string) => titled(`<a href="${href}">x</a>`)

describe('parseListingPage()', () => {
  it('reads what nginx writes', () => {
    const html = `<html>\r\n<head><title>Index of /pub/x/</title></head>\r\n<body>\r\n<h1>Index of /pub/x/</h1><hr><pre>\
<a href="../">../</a>\r\n<a href="sub/">sub/</a>   21-Nov-2026 09:00    -\r\n<a href="a%20b%26c.iso">a b&amp;c.iso</a> 1\r\n\
</pre><hr></body>\r\n</html>`

    assert.deepEqual(read(html), { files: ['a b&c.iso'], folders: ['sub/'] })
  })

  it('reads what Apache writes', () => {
    const html = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN"><html><head><title>Index of /pub/x</title></head>
<body><h1>Index of /pub/x</h1><table><tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th>
<th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><a href="/pub/">Parent Directory</a></td></tr>
<tr><td><img src="/icons/folder.gif"></td><td><a href="sub/">sub/</a></td></tr>
<tr><td><a href='a&amp;b.txt'>a&amp;b.txt</a></td><td align="right">2026-11-21 09:00  </td></tr>
<tr><td><A CLASS=x HREF=plain.bin>plain.bin</A></td></tr></table></body></html>`

    assert.deepEqual(read(html), { files: ['a&b.txt', 'plain.bin'], folders: ['sub/'] })
  })

  it('passes over links that leave the folder, sort it or lead into a page', () => {
    for (const href of [
      '../',
      '..',
      './',
      '/',
      '/pub/',
      '/pub/xy',
      '/pub/x/../y',
      'http://other.example/pub/x/a',
      '//other.example/pub/x/a',
      'https://mirror.example/pub/x/a',
      '?C=N&amp;O=D',
      'a?b',
      '#top',
      'a#b',
      'mailto:me@mirror.example',
      'javascript:alert(1)',
      '%2e%2e/%2e%2e/etc/passwd',
      '..\\..\\etc',
      'http://[',
      '',
    ])
      assert.deepEqual(read(link(href)), { files: [], folders: [] }, href)
  })

  it('takes absolute links below the folder, decodes names, and knows each once', () => {
    const html = titled(`<a href="/pub/x/a">a</a><a href="http://mirror.example/pub/x/a">a</a>
      <a href="%C3%BC">ü</a><a href="&#x41;&#66;">AB</a><a name=here>no</a><a href="sub/inner.txt">x</a><a  href = "b" >b</a>`)

    assert.deepEqual(read(html), { files: ['a', 'ü', 'AB', 'sub/inner.txt', 'b'], folders: [] })
  })

  it('finds no links in comments, scripts, styles and other elements', () => {
    const html = titled(`<!-- <a href="1">x</a> --><script>'<a href="2">'</script><STYLE><a href="3"></STYLE>
      <abbr href="4">x</abbr><img href="5"><a href="yes">x</a><!-- <a href="6">`)

    assert.deepEqual(read(html).files, ['yes'])
  })

  for (const [what, href, message] of [
    ['an encoded slash', '..%2f..%2fetc%2fpasswd', /"\.\.%2f\.\.%2fetc%2fpasswd".*encoded slash/],
    ['what is not UTF-8', '%ff', /"%ff".*not UTF-8/],
    ['half an escape', 'a%2', /"a%2".*not UTF-8/],
  ] as const) {
    it(`refuses ${what} and names the link`, () => {
      assert.throws(() => read(link(href)), { code: 'upstream', message })
    })
  }

  it('refuses a page that is no listing, but not an empty folder', () => {
    assert.throws(() => read('<html><title>Under maintenance</title>Come back later</html>'), { message: /no listing/ })
    assert.deepEqual(read(titled('<a href="../">../</a>')), { files: [], folders: [] })
  })

  it('reads hostile pages of megabytes in no time', () => {
    const much = 300_000
    for (const piece of [
      '<a href="',
      '<a ',
      "<a href='x",
      '<!-',
      '<a href',
      '<a\t\t\t\t',
      '<!--',
      '<script>',
      '<a x=" y=\' ',
      '<a =',
    ])
      read(titled(piece.repeat(much).concat(' '.repeat(much))))
  })
})
