import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { listLeaves } from '../../integrations/haraka/lib/tracking/mime-part.mjs'
import type { Tracking } from '../../integrations/haraka/lib/tracking/rewrite-html.mjs'
import { rewriteMessage } from '../../integrations/haraka/lib/tracking/rewrite-message.mjs'
import { createTokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import { decodeTransfer } from '../../integrations/haraka/lib/tracking/transfer-encoding.mjs'
import { seeHtml } from '../../test/harness/visible-text.ts'
import { createSeededRandom } from '../lib/seeded-random.ts'

const tokens = createTokens(Buffer.alloc(32, 1))
const tracking: Tracking = {
  tokens,
  baseUrl: 'https://links.acme.test',
  domain: 'acme.test',
  messageId: 'm1',
  recipient: 'ann@example.org',
  time: 1_794_724_823,
}
const HTML = '<html><body><p>Grüße, <a href="https://acme.test/?a=1&amp;b=2">hier</a> &amp; dort</p></body></html>'

const lines = (...all: readonly string[]) => all.join('\r\n')
const header = (...fields: readonly string[]) =>
  lines('From: a@acme.test', 'Subject: x', 'MIME-Version: 1.0', ...fields, '', '')

function rewrite(message: string | Buffer, changes: Partial<Tracking> = {}) {
  const { message: result, ...rest } = rewriteMessage(Buffer.from(message as string), { ...tracking, ...changes })
  return { text: result.toString('latin1'), bytes: result, ...rest }
}

/** Signed links replaced by their targets in brackets, the pixel by [pixel]. */
function show(html: string): string {
  return html
    .replaceAll(/<img src="https:\/\/links\.acme\.test\/t\/o\/[\w-]+"[^>]*>/g, '[pixel]')
    .replaceAll(
      /https:\/\/links\.acme\.test\/t\/c\/([\w-]+)/g,
      (_, token: string) => `[${tokens.open('click', token)?.target}]`,
    )
}

const EXPECTED = HTML.replace('https://acme.test/?a=1&amp;b=2', '[https://acme.test/?a=1&b=2]').replace(
  '</body>',
  '[pixel]</body>',
)

function quotedPrintable(text: string): string {
  const encoded = [...Buffer.from(text)]
    .map((byte) =>
      byte === 61 || byte > 126 ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}` : String.fromCharCode(byte),
    )
    .join('')
  return encoded.replaceAll(/(.{1,70}(?![0-9A-F]{0,1}=?$))(?=.)/g, (line) =>
    /=.?$/.test(line) ? line : `${line}=\r\n`,
  )
}

describe('a message', () => {
  test('in 8bit gets pixel and links and keeps its other bytes', async () => {
    const head = header('Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: 8bit')
    const { bytes, isChanged, warnings } = rewrite(head + HTML)
    assert.ok(isChanged)
    assert.deepEqual(warnings, [])
    assert.equal(show(bytes.toString()), head + EXPECTED)
  })

  test('in quoted-printable keeps every line without a link, and no line becomes too long', async () => {
    const body = lines(
      '<html><body><p>Gr=C3=BC=C3=9Fe, and a line that is broken soft=',
      'ly in the middle, <a class=3D"button" hr=',
      'ef=3D"https://acme.test/?a=3D1&amp;=',
      'b=3D2">hier</a> and the text goes on after it for a while =20',
      '<p>An odd one: =zz =3d</p></body></html>',
      '',
    )
    const { text } = rewrite(
      header('Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable') + body,
    )
    const [, rewritten = ''] = text.split('\r\n\r\n')
    assert.ok(rewritten.startsWith(body.slice(0, body.indexOf('https'))))
    assert.ok(rewritten.includes('\r\n<p>An odd one: =zz =3d</p>'))
    assert.deepEqual(
      rewritten.split('\r\n').filter((line) => line.length > 76),
      [],
    )
    const parsed = await PostalMime.parse(text)
    const original = await PostalMime.parse(
      header('Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable') + body,
    )
    const expected = (original.html ?? '')
      .replace('https://acme.test/?a=1&amp;b=2', '[https://acme.test/?a=1&b=2]')
      .replace('</body>', '[pixel]</body>')
    assert.equal(show(parsed.html ?? ''), expected)
  })

  test('in base64 stays in base64, with lines as long as they were', async () => {
    const encoded =
      Buffer.from(HTML)
        .toString('base64')
        .match(/.{1,60}/g) ?? []
    const head = header('Content-Type: TEXT/HTML; Charset="UTF-8"', 'Content-Transfer-Encoding: Base64')
    const { text } = rewrite(`${head}${encoded.join('\r\n')}\r\n`)
    assert.ok(text.startsWith(head) && text.endsWith('\r\n'))
    const [first = ''] = text.slice(head.length).split('\r\n')
    assert.equal(first.length, 60)
    assert.equal(show((await PostalMime.parse(text)).html ?? '').trim(), EXPECTED)
  })

  test('of several parts changes only in its HTML', () => {
    const part = (type: string, body: string) => lines(`Content-Type: ${type}`, '', body)
    const message = (html: string) =>
      header('Content-Type: multipart/mixed;', '\tboundary="a b"') +
      lines(
        'preamble <a href="https://acme.test/">',
        '--a b',
        'Content-Type: multipart/alternative; boundary=inner',
        '',
        '--inner',
        part('text/plain', 'https://acme.test/'),
        '--inner',
        part('text/html; charset=utf-8', html),
        '--inner--',
        '--a b  ',
        part('text/html; name=x.html\r\nContent-Disposition: attachment', HTML),
        '--a b',
        part('message/rfc822', `Content-Type: text/html\r\n\r\n${HTML}`),
        '--a b--',
        'epilogue <a href="https://acme.test/">',
      )
    const { bytes } = rewrite(message(HTML))
    assert.equal(show(bytes.toString()), message(EXPECTED))
  })

  test('with bare line feeds keeps them', () => {
    const head = header('Content-Type: text/html; charset=utf-8').replaceAll('\r\n', '\n')
    assert.equal(show(rewrite(head + HTML).bytes.toString()), head + EXPECTED)
  })

  test('that is signed or encrypted stays unchanged, whole or in part', () => {
    const sealed = (type: string) =>
      header(`Content-Type: ${type}; boundary=b`) + lines('--b', 'Content-Type: text/html', '', HTML, '--b--', '')
    for (const type of ['multipart/signed', 'multipart/encrypted', 'multipart/report'])
      assert.equal(rewrite(sealed(type)).isChanged, false, type)
    assert.equal(rewrite(header('Content-Type: application/pkcs7-mime') + HTML).isChanged, false)
    const inline = rewrite(`${header('Content-Type: text/html')}<pre>-----BEGIN PGP SIGNED MESSAGE-----</pre>${HTML}`)
    assert.equal(inline.isChanged, false)
    assert.match(inline.warnings.join(), /signed/)
  })

  test('with a DKIM signature is rewritten with a warning', () => {
    const { isChanged, warnings } = rewrite(
      header('DKIM-Signature: v=1; a=rsa-sha256', 'Content-Type: text/html') + HTML,
    )
    assert.ok(isChanged)
    assert.match(warnings.join(), /already signed with DKIM/)
  })

  test('keeps the links that its List-Unsubscribe names', () => {
    const fields = [
      'Content-Type: text/html',
      'List-Unsubscribe: <mailto:u@acme.test>,',
      ' <https://acme.test/u?id=1&x=2>',
    ]
    const { text } = rewrite(
      `${header(...fields)}<a href="https://acme.test/u?id=1&amp;x=2">no more</a><a href="https://acme.test/v">v</a>`,
    )
    assert.match(text, /<a href="https:\/\/acme\.test\/u\?id=1&amp;x=2">/)
    assert.match(text, /<a href="https:\/\/links\.acme\.test/)
  })

  test('in a charset that is not ASCII-compatible stays unchanged, with a warning', () => {
    for (const charset of ['utf-16', 'iso-2022-jp', 'utf-7']) {
      const { isChanged, warnings } = rewrite(header(`Content-Type: text/html; charset=${charset}`) + HTML)
      assert.equal(isChanged, false)
      assert.match(warnings.join(), new RegExp(charset))
    }
  })

  test('has no line that mail servers would have to break', () => {
    const link = '<a href="https://acme.test/a-rather-long-address/with/many/parts?and=parameters">x</a>'
    const { text } = rewrite(header('Content-Type: text/html') + link.repeat(10))
    assert.deepEqual(
      text.split('\r\n').filter((line) => line.length > 998),
      [],
    )
    assert.equal(text.match(/links\.acme\.test\/t\/c\//g)?.length, 10)
    const hopeless = rewrite(`${header('Content-Type: text/html')}<a href="https://acme.test/${'x'.repeat(900)}">x</a>`)
    assert.equal(hopeless.isChanged, false)
    assert.match(hopeless.warnings.join(), /too long/)
  })

  test('without HTML, without a body, or empty stays unchanged', () => {
    for (const message of [
      '',
      '\r\n',
      'From: x',
      header('Content-Type: text/plain') + HTML,
      header('Content-Type: multipart/mixed'),
    ])
      assert.equal(rewrite(message).bytes.toString(), message)
  })
})

test('5,000 damaged messages: other parts and visible text stay, rewriting twice equals once', () => {
  const random = createSeededRandom(20_261_117)
  const html = [HTML, `${HTML.repeat(4)}\r\n<!-- ${HTML} -->`, '<p>no link</p>', '<a href=https://a.test/>x']
  const bodies: ((body: string) => string)[] = [
    (body) => lines('Content-Type: text/html; charset=utf-8', '', body),
    (body) =>
      lines(
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(body).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      ),
    (body) =>
      lines(
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        quotedPrintable(body),
      ),
    (body) => lines('Content-Type: text/plain', '', body),
  ]
  const pick = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)] as T
  let changed = 0
  for (let n = 0; n < 5_000; n++) {
    const parts = Array.from({ length: random.between(1, 3) }, () => pick(bodies)(pick(html)))
    let message = `From: a@acme.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
    for (let damage = random.between(0, 3); damage > 0; damage--) {
      const at = random.between(0, message.length)
      message =
        message.slice(0, at) +
        pick(['', '=', '\r\n', '<', '"', '--b', '>', 'ä', '\r\n\r\n']) +
        message.slice(at + random.between(0, 4))
    }
    const { bytes, isChanged } = rewrite(message)
    changed += Number(isChanged)
    assert.ok(rewriteMessage(bytes, tracking).message.equals(bytes), message)
    if (isChanged) assert.deepEqual(seen(bytes), seen(Buffer.from(message)), message)
  }
  assert.ok(changed > 1000, `${changed} were changed`)
})

/** The visible text of each part. */
function seen(message: Buffer): readonly string[] {
  const text = message.toString('latin1')
  return listLeaves(text).map(({ type, encoding, start, end }) => {
    const content = decodeTransfer(text.slice(start, end), encoding)?.content ?? text.slice(start, end)
    return type === 'text/html' ? seeHtml(content).text : content
  })
}
