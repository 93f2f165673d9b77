import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rewriteHtml, type Tracking } from '../../integrations/haraka/lib/tracking/rewrite-html.mjs'
import { createTokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import { applyEdits } from '../../integrations/haraka/lib/tracking/transfer-encoding.mjs'
import { seeHtml } from '../../test/harness/visible-text.ts'
import { createSeededRandom } from '../lib/seeded-random.ts'

const tokens = createTokens(Buffer.alloc(32, 1))
const BASE = 'https://links.acme.test'
const tracking: Tracking = {
  tokens,
  baseUrl: BASE,
  domain: 'acme.test',
  messageId: 'm1',
  recipient: 'ann@example.org',
  time: 1_794_724_823,
}
const PIXEL = /<img src="https:\/\/links\.acme\.test\/t\/o\/[\w-]+" width="1" height="1" alt="" style="[^"]*">/g

function rewrite(html: string, changes: Partial<Tracking> = {}, charset = 'utf-8'): string {
  return applyEdits(html, rewriteHtml(html, { ...tracking, ...changes }, { charset }))
}

/** Signed links replaced by their targets in brackets, the pixel by [pixel]. */
function show(html: string, charset?: string): string {
  return rewrite(html, {}, charset)
    .replaceAll(PIXEL, '[pixel]')
    .replaceAll(
      /https:\/\/links\.acme\.test\/t\/c\/([\w-]+)/g,
      (_, token: string) => `[${tokens.open('click', token)?.target}]`,
    )
}

/** HTML before and after. */
const CASES: Readonly<Record<string, readonly [string, string]>> = {
  'a link in double quotes': ['<a href="https://a.test/">x</a>', '<a href="[https://a.test/]">x</a>[pixel]'],
  'in single quotes': ["<A HREF='https://a.test/'>x</A>", "<A HREF='[https://a.test/]'>x</A>[pixel]"],
  'without quotes': ['<a href=https://a.test/ id=x>x</a>', '<a href=[https://a.test/] id=x>x</a>[pixel]'],
  'with spaces around': ['<a\n href = "\n https://a.test/ ">x</a>', '<a\n href = "[https://a.test/]">x</a>[pixel]'],
  'of an image map': ['<area href="http://a.test/">', '<area href="[http://a.test/]">[pixel]'],
  'with character references': [
    '<a href="https://a.test/?a=1&amp;b=2&#38;c">',
    '<a href="[https://a.test/?a=1&b=2&c]">[pixel]',
  ],
  'with a bare ampersand': ['<a href="https://a.test/?a=1&b=2">', '<a href="[https://a.test/?a=1&b=2]">[pixel]'],
  'with a parameter that looks like a reference': [
    '<a href="https://a.test/?a=1&copy=2">',
    '<a href="[https://a.test/?a=1&copy=2]">[pixel]',
  ],
  'with a reference that is not decoded': [
    '<a href="https://a.test/?a&copy;">',
    '<a href="https://a.test/?a&copy;">[pixel]',
  ],
  'with a reference without its semicolon': [
    '<a href="https://a.test/?a&copy">',
    '<a href="https://a.test/?a&copy">[pixel]',
  ],
  'with UTF-8 bytes': ['<a href="https://a.test/\u00c3\u00a4">', '<a href="[https://a.test/%C3%A4]">[pixel]'],
  'the first of two': [
    '<a href="https://a.test/" href="https://b.test/">',
    '<a href="[https://a.test/]" href="https://b.test/">[pixel]',
  ],
  'to a mail address': ['<a href="mailto:a@b.test">', '<a href="mailto:a@b.test">[pixel]'],
  'to a phone number': ['<a href="tel:+1">', '<a href="tel:+1">[pixel]'],
  'within the page': ['<a href="#top">', '<a href="#top">[pixel]'],
  'to a script': ['<a href="javascript:x()">', '<a href="javascript:x()">[pixel]'],
  'that is relative': ['<a href="/x">', '<a href="/x">[pixel]'],
  'with a template placeholder': ['<a href="{{url}}">', '<a href="{{url}}">[pixel]'],
  'that is empty': ['<a href>', '<a href>[pixel]'],
  'with the ignore attribute': [
    '<a data-envelog-ignore href="https://a.test/">',
    '<a data-envelog-ignore href="https://a.test/">[pixel]',
  ],
  'in a comment': ['<!-- <a href="https://a.test/"> -->', '<!-- <a href="https://a.test/"> -->[pixel]'],
  'for Outlook only': [
    '<!--[if mso]><a href="https://a.test/"><![endif]-->',
    '<!--[if mso]><a href="https://a.test/"><![endif]-->[pixel]',
  ],
  'for all but Outlook': [
    '<!--[if !mso]><!--><a href="https://a.test/"><!--<![endif]-->',
    '<!--[if !mso]><!--><a href="[https://a.test/]"><!--<![endif]-->[pixel]',
  ],
  'in a style': ['<style>a{}<a href="https://a.test/"></style>', '<style>a{}<a href="https://a.test/"></style>[pixel]'],
  'in a script': [
    '<script>"<a href=https://a.test/>"</script>x',
    '<script>"<a href=https://a.test/>"</script>x[pixel]',
  ],
  'in a title': ['<title><a href="https://a.test/"></title>', '<title><a href="https://a.test/"></title>[pixel]'],
  'in the value of another': [
    '<p title="<a href=\'https://a.test/\'>">',
    '<p title="<a href=\'https://a.test/\'>">[pixel]',
  ],
  'of another element': ['<abbr href="https://a.test/">', '<abbr href="https://a.test/">[pixel]'],
  'of a style sheet': ['<link href="https://a.test/">', '<link href="https://a.test/">[pixel]'],
  'the pixel before the end of the body': ['<body>x</body></html>', '<body>x[pixel]</body></html>'],
  'the pixel before the last end of the body': ['</body>x</BODY >y', '</body>x[pixel]</BODY >y'],
  'no pixel after an incomplete tag': ['x<a href="https://a.test/', 'x<a href="https://a.test/'],
  'no pixel after an incomplete comment': ['x<!-- y', 'x<!-- y'],
  'text that looks like a tag': [
    '1 < 2 <3 <> </> <a href="https://a.test/">',
    '1 < 2 <3 <> </> <a href="[https://a.test/]">[pixel]',
  ],
}

describe('rewriting HTML', () => {
  for (const [name, [html, expected]] of Object.entries(CASES)) test(name, () => assert.equal(show(html), expected))

  test('a non-ASCII address is encoded as browsers do', () => {
    assert.equal(show('<a href="https://a.test/\u00e4">', 'iso-8859-1'), '<a href="[https://a.test/%C3%A4]">[pixel]')
    assert.equal(show('<a href="https://a.test/\u00e4">', 'utf-8'), '<a href="https://a.test/\u00e4">[pixel]')
  })

  test('opens and clicks can be switched off separately', () => {
    const html = '<a href="https://a.test/">x</a>'
    assert.doesNotMatch(rewrite(html, { opens: false }), /<img/)
    assert.match(rewrite(html, { clicks: false }), /^<a href="https:\/\/a\.test\/">x<\/a><img/)
  })

  test('a quoted message keeps its links, and its pixel does not count as the pixel of this message', () => {
    const quoted = rewrite('<a href="https://a.test/">x</a>', { messageId: 'other' })
    const rewritten = rewrite(quoted)
    assert.ok(rewritten.startsWith(quoted))
    assert.equal(rewritten.match(PIXEL)?.length, 2)
  })
})

const PIECES =
  '<|>|</|/>|<a |<a href="https://a.test/?q&amp;r">|<a class=x href=http://c.test/d>|</a>|<a href=|<A\tHREF = |href=|"|\'|https://a.test/?x=1&amp;y=2|http://b.test|mailto:a@b|&copy|&#38;|<!--|-->|--!>|<!-->|<![CDATA[|]]>|<svg>|</svg>|<style>|</style>|<script>|</script|</script>|<title>|</title >|<textarea>|</textarea>|<plaintext>|<body>|</body>|</html>|<p title=|<img src=x>|<area href=\'|data-envelog-ignore|text|\u00e4| |\n|\r\n|=|/|<!doctype html>|<?xml ?>|<![endif]-->|<!--[if mso]>|\0'.split(
    '|',
  )

test('30,000 generated texts: visible text stays, links keep their targets, rewriting twice equals once', () => {
  const random = createSeededRandom(20_261_116)
  let links = 0
  for (let n = 0; n < 30_000; n++) {
    let html = ''
    for (let left = random.between(1, 24); left > 0; left--) html += PIECES[random.between(0, PIECES.length - 1)]
    const rewritten = rewrite(html)
    const [before, after] = [seeHtml(html), seeHtml(rewritten)]
    assert.equal(after.text, before.text, html)
    // Nothing but the pixel is added, and no tag is lost.
    const tags = after.tags.filter((tag) => tag !== 'img(src,width,height,alt,style)')
    assert.deepEqual(tags, before.tags, html)
    assert.equal(after.links.length, before.links.length, html)
    for (const [index, link] of after.links.entries()) {
      if (link === before.links[index]) continue
      links += 1
      const target = tokens.open('click', link.replace(`${BASE}/t/c/`, ''))?.target
      assert.equal(target, followed(before.links[index] ?? ''), html)
    }
    assert.equal(rewrite(rewritten), rewritten, html)
  }
  assert.ok(links > 1000, `${links} links`)
})

/** The address that a browser would open, for anything the pieces above can form. */
function followed(link: string): string {
  const address = link
    .replaceAll(/&amp;|&#38;/g, '&')
    .replaceAll(/[\t\n\r]/g, '')
    .replaceAll(/^[\0 ]+|[\0 ]+$/g, '')
  return /^[!-~]+$/.test(address) ? address : new URL(Buffer.from(address, 'latin1').toString()).href
}
