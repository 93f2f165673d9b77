/** The console with many events, with hostile texts, and with a server that stops and restarts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { EmailEvent } from '../../src/events/event.ts'
import { findFreePort } from '../harness/free-port.ts'
import { openBrowser, openVisitor, scrollToEnd, until } from '../harness/programs/browser.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const EVENTS = 100_000

let installation: Installation
let server: ServerProcess
let browser: Browser
let port: number
before(async () => {
  ;[installation, browser, port] = await Promise.all([openInstallation(), openBrowser(), findFreePort()])
  await importEvents()
  server = await start()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  installation?.[Symbol.dispose]()
})

const start = () => installation.start({ ENVELOG_PORT: String(port) })
const now = () => Math.floor(Date.now() / 1000)

/** Four seconds apart, the newest an hour old: over several days, so that pages end in the middle of a day. */
async function importEvents(): Promise<void> {
  using folder = openTemporaryFolder()
  const newest = now() - 3600
  const lines = Array.from({ length: EVENTS }, (_, index) =>
    JSON.stringify({
      id: `many-${index}`,
      timestamp: newest - 4 * index,
      type: index % 10 === 0 ? 'Bounce' : 'Delivery',
      domain_name: 'acme.test',
      recipient: `person${index}@example.net`,
      subject: `Letter ${index}`,
      response_code: index % 10 === 0 ? 550 : 250,
    }),
  )
  const file = join(folder.path, 'events.ndjson')
  writeFileSync(file, lines.join('\n'))
  const { exitCode, stderr } = await installation.cli('import', file)
  assert.equal(exitCode, 0, stderr)
}

async function ingest(events: readonly Partial<EmailEvent>[]): Promise<void> {
  const response = await fetch(`${server.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: installation.ingestKey },
    body: JSON.stringify(events),
  })
  const { rejected } = (await response.json()) as { rejected: unknown[] }
  assert.deepEqual([response.status, rejected], [200, []])
}

/** Memory of the page after a garbage collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

test('a list of 100,000 events can be scrolled to its end, and takes no more memory there than at its beginning', async (context) => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname + new URL(request.url()).search))
  await page.goto(`${server.address}/log?domain=acme.test&last=all`)
  await page.locator('[data-log-row]').first().waitFor()
  assert.equal(
    requested.filter((path) => path.startsWith('/v1/events?')).length,
    1,
    'the first rows need only the first page',
  )
  const atStart = await heapBytes(page)
  const scroll = "(() => { const rows = document.querySelector('.log-rows'); rows.scrollTop = rows.scrollHeight })()"
  const isEnd = "document.querySelector('.log-rows').textContent.includes('end of list')"
  while (!(await page.evaluate(isEnd))) {
    const height = await page.evaluate<number>("document.querySelector('.log-rows').scrollHeight")
    await page.evaluate(scroll)
    await until(page, `document.querySelector('.log-rows').scrollHeight > ${height} || ${isEnd}`)
  }
  await page.evaluate(scroll)
  await page.getByText('person99999@example.net').waitFor()
  assert(
    await page.evaluate("document.querySelectorAll('.log-row').length < 100"),
    'only the rows on the screen are drawn',
  )
  // Pages out of view are dropped a moment later.
  let atEnd = await heapBytes(page)
  for (let look = 0; look < 50 && atEnd > atStart + 4e6; look++) {
    await page.waitForTimeout(100)
    atEnd = await heapBytes(page)
  }
  context.diagnostic(`${atStart} bytes at the start, ${atEnd} at the end`)
  assert(atEnd < atStart + 4e6, `${atStart} bytes at the start, ${atEnd} at the end`)
  await page.evaluate("document.querySelector('.log-rows').scrollTop = 0")
  await page.getByText('person0@example.net').waitFor()
})

const HOSTILE = [
  '<img src=x onerror="document.title=`broken into`">',
  '</td></tr></table><script>document.title="broken into"</script>',
  '=HYPERLINK("http://evil.test","click")',
  '{{constructor.constructor("return 1")()}}',
  'javascript:alert(1)',
  'left \u202Ethgir\u202C \u2066isolated\u2069',
  'nul \u0001 escape \u001B[31m bell \u0007',
  `long${'ʷ'.repeat(900)}`,
]

test('untrusted texts are shown as text everywhere', async () => {
  const shown = (text: string) =>
    text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
      return `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`
    })
  await ingest(
    HOSTILE.map((text, index) => ({
      id: `hostile-${index} <b>&"'/?#%`,
      timestamp: now() - index,
      type: 'Bounce',
      domain_name: 'news.acme.test',
      recipient: `"${index}<svg onload=alert(1)>"@example.net`,
      sender: `s${index}@news.acme.test`,
      from: `${text} <a@news.acme.test>`,
      subject: text,
      response_code: 550,
      response_content: text,
      provider_name: text,
      peer_name: text,
      bounce_classification: text,
      campaign: text,
    })),
  )
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await page.goto(`${server.address}/log?domain=news.acme.test`)
  await page
    .locator('[data-log-row]')
    .nth(HOSTILE.length - 1)
    .waitFor()
  const list = await page.evaluate<string>("document.querySelector('.log-rows').textContent")
  for (const text of HOSTILE) assert(list.includes(shown(text)), text)
  for (const index of HOSTILE.keys()) {
    await page.locator('[data-log-row]').nth(index).click()
    const panel = page.getByRole('complementary', { name: 'Message' })
    await panel.getByText(`hostile-${index} <b>&"'/?#%`).waitFor()
    assert(((await panel.textContent()) ?? '').includes(shown(HOSTILE[index] ?? '')))
    assert(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.keyboard.press('Escape')
  }
  const csv = await page.evaluate<string>(
    "fetch('/v1/events?domain=news.acme.test&format=csv').then((response) => response.text())",
  )
  assert(csv.includes(`"'=HYPERLINK(`) && !csv.includes(',"=HYPERLINK('), 'no cell begins like a formula')
  await page.goto(`${server.address}/overview?domain=news.acme.test`)
  await page
    .locator('.reason')
    .nth(HOSTILE.length - 2)
    .waitFor()
  assert.equal(await page.locator('main img, main script, main svg[onload]').count(), 0)
  assert.equal(await page.title(), 'Overview · Envelog')
})

test('records in quarantine are shown as text', async () => {
  const domain = '<img src=x onerror=alert(1)>\u202E.test'
  const { status } = await fetch(`${server.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: installation.ingestKey },
    body: JSON.stringify({ id: 'x', timestamp: now(), type: 'Delivery', domain_name: domain, recipient: 'a@b.test' }),
  })
  assert.equal(status, 200)
  const created = await installation.cli('--json', 'key', 'create', '--operator', '--scope', 'admin')
  const { key } = JSON.parse(created.stdout) as { key: string }
  await using visitor = await openVisitor(browser, server.address, { session: key })
  const { page } = visitor
  await page.goto(`${server.address}/operator/quarantine`)
  await page.locator('summary').first().click()
  await page.getByText('<img src=x onerror=alert(1)>[U+202E].test').first().waitFor()
  assert.equal(await page.locator('main img').count(), 0)
})

test('live mode continues after a server restart, without missing events that arrived meanwhile', async () => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  const arrival = (name: string) => ({
    id: `live-${name}`,
    timestamp: now(),
    type: 'Reception' as const,
    domain_name: 'acme.test',
    recipient: `${name}@live.test`,
  })
  await page.goto(`${server.address}/log?q=live.test&live=1`)
  await page.locator('.live[data-state="open"]').waitFor()
  await ingest([arrival('before')])
  await page.getByText('before@live.test').waitFor()

  await server.stop()
  await page.locator('.live[data-state="waiting"]').waitFor()
  const line = JSON.stringify(arrival('meanwhile'))
  using folder = openTemporaryFolder()
  writeFileSync(join(folder.path, 'one.ndjson'), line)
  assert.equal((await installation.cli('import', join(folder.path, 'one.ndjson'))).exitCode, 0)
  server = await start()
  await page.getByText('meanwhile@live.test').waitFor()
  await ingest([arrival('after')])
  await page.getByText('after@live.test').waitFor()
  const recipients = await page.locator('[data-log-row]').allTextContents()
  assert.deepEqual(recipients.toSorted(), ['after@live.test', 'before@live.test', 'meanwhile@live.test'], 'each once')
})

const arrivals = (name: string, count: number): readonly Partial<EmailEvent>[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name}-${index}`,
    timestamp: now(),
    type: 'Reception' as const,
    domain_name: 'acme.test',
    recipient: `${name}${index}@tail.test`,
  }))

test('live mode does not move the row under the pointer, can be paused, and follows thousands of events with one stream', async () => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  const streams: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/events/stream')) streams.push(request.url())
  })
  await ingest(arrivals('first', 3))
  await page.goto(`${server.address}/log?q=tail.test&live=1`)
  await page.locator('.live[data-state="open"]').waitFor()
  await page.getByText('first2@tail.test').waitFor()

  const row = page.locator('.log-row').first()
  const { x, y, height } = (await row.boundingBox()) ?? { x: 0, y: 0, height: 0 }
  await page.mouse.move(x + 60, y + height / 2)
  const under = `document.elementFromPoint(${x + 60}, ${y + height / 2})?.closest('.log-row')?.textContent`
  const before = await page.evaluate<string>(under)
  await ingest(arrivals('second', 2))
  await page.getByRole('button', { name: '2 new' }).waitFor()
  assert.equal(await page.evaluate(under), before)
  await page.mouse.move(0, 0)
  await page.getByText('second1@tail.test').waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  await ingest(arrivals('third', 4))
  await page.getByRole('button', { name: '4 new' }).waitFor()
  assert.equal(await page.getByText('third0@tail.test').count(), 0)
  await page.keyboard.press('p')
  await page.getByText('third0@tail.test').waitFor()

  for (let batch = 0; batch < 5; batch++) await ingest(arrivals(`batch${batch}-`, 500))
  await ingest(arrivals('last', 1))
  await page.getByText('last0@tail.test').waitFor()
  // Scrolled away, the list would not follow the rest.
  await page.locator('.log-new').waitFor({ state: 'detached' })
  await scrollToEnd(page)
  const count = await page.evaluate("Number(document.querySelector('[role=table]').getAttribute('aria-rowcount')) - 1")
  assert.equal(count, 3 + 2 + 4 + 2500 + 1, 'each event once')
  assert.equal(streams.length, 1)
})

test('an unreachable server is reported, and a retry continues where the list was', async () => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await page.goto(`${server.address}/log?domain=acme.test&q=example.net`)
  await page.locator('[data-log-row]').first().waitFor()
  await server.stop()
  await page.keyboard.press('r')
  await page.getByText('Could not load the log').waitFor()
  await page.getByText('Nothing was lost').waitFor()
  server = await start()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('person0@example.net').waitFor()
  const rows = "document.querySelector('.log-rows')"
  await until(page, `(${rows}.scrollTop = 36 * 300, ${rows}.textContent.includes('person305@example.net'))`)
})
