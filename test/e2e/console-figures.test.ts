/** The figures of the overview, read off the page in a real browser: they agree with each other and with the API, and add up. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import type { EmailEvent, EventType } from '../../src/events/event.ts'
import type { EventsPage } from '../../src/http/v1/log/events.wire.ts'
import type { OwnQuotas } from '../../src/http/v1/session/quotas.wire.ts'
import type { Figures } from '../../src/http/v1/statistics/figures.wire.ts'
import type { Series } from '../../src/http/v1/statistics/series.wire.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { keepPicture, openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { noteShifts, readShift, SHIFT_MAX } from '../harness/programs/examine-page.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

/** More than the page lists by name. */
const PROVIDERS = 15
const REASONS = 11
const MESSAGES = 60
/** Bounces that something has caused, and their reply. */
const SPIKE = 120
const REPLY = '554 5.7.1 Client host listed at bl.example'

let installation: Installation
let server: ServerProcess
let browser: Browser
let events: readonly EmailEvent[]

before(async () => {
  installation = await openInstallation()
  ;[server, browser] = await Promise.all([installation.start(), openBrowser()])
  events = makeEvents(Math.floor(Date.now() / 1000) - 7200)
  const { stored, rejected } = await new LogClient(server.address, installation).ingest(events)
  assert.deepEqual([stored, rejected], [events.length, []])
})

after(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  installation?.[Symbol.dispose]()
})

/** Some mail servers write both TransientFailure and Delayed for one attempt. */
function makeEvents(start: number): readonly EmailEvent[] {
  const ordinary = Array.from({ length: MESSAGES }, (_, number) => {
    const provider = number % 7 === 0 ? undefined : `Provider ${number % PROVIDERS}`
    const reason = number % 5 === 0 ? undefined : `Reason${number % REASONS}`
    const step = (type: EventType, after: number): EmailEvent => ({
      id: `message-${number}`,
      timestamp: start + number * 10 + after,
      type,
      domain_name: installation.domains[0],
      recipient: `person${number}@example.org`,
      ...(provider !== undefined && type !== 'Reception' && { provider_name: provider }),
      ...(reason !== undefined && type !== 'Delivery' && { bounce_classification: reason }),
    })
    const isBounced = number % 4 === 0
    return [
      step('Reception', 0),
      ...(number % 2 === 0 ? [step('TransientFailure', 1), step('Delayed', 2)] : []),
      ...(number % 3 === 0 ? [step('TransientFailure', 3), step('Delayed', 4)] : []),
      step(isBounced ? 'Bounce' : 'Delivery', 5),
      ...(!isBounced && number % 6 === 1 ? [step('OOBBounce', 6)] : []),
      ...(!isBounced && number % 10 === 3 ? [step('Feedback', 7)] : []),
    ]
  }).flat()
  const spike = Array.from(
    { length: SPIKE },
    (_, number): EmailEvent => ({
      id: `spike-${number}`,
      timestamp: start + 3600 + number,
      type: 'Bounce',
      domain_name: installation.domains[number % 3 === 0 ? 1 : 0],
      recipient: `person${number}@web.example`,
      provider_name: 'Web.de',
      bounce_classification: 'SpamBlock',
      response_code: 554,
      response_content: `${REPLY} [192.0.2.${number}]`,
    }),
  )
  return [...ordinary, ...spike]
}

const countOf = (type: EventType) => events.filter((event) => event.type === type).length

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${server.address}${path}`, { headers: { authorization: installation.tenantKey } })
  assert.equal(answer.status, 200, path)
  return (await answer.json()) as T
}

const totalsIn = ({ series }: Series) => Object.fromEntries(series.map(({ key, total }) => [key, total]))
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
/** Without the thousands separator, a thin space. */
const toNumber = (text: string) => Number(text.replaceAll('\u2009', '').trim())

test('every figure has one definition, and the figures add up to all events', async () => {
  const { figures } = await get<Figures>('/v1/stats/figures')
  const byFigure = totalsIn(await get<Series>('/v1/stats/series?group=figure'))
  const byType = totalsIn(await get<Series>('/v1/stats/series?group=type'))
  assert.equal(sum(Object.values(byFigure)), events.length)
  for (const { id, types } of figures) {
    assert.equal(byFigure[id] ?? 0, sum(types.map((type) => byType[type] ?? 0)), id)
    const ofFigure = await get<Series>(`/v1/stats/series?group=provider&figure=${id}&limit=5`)
    assert.equal(sum(ofFigure.series.map(({ total }) => total)) + ofFigure.rest.total, byFigure[id] ?? 0, id)
  }
  const { domains } = await get<{ domains: Record<string, { counts: Record<string, number> }> }>('/domain/stats')
  const counted = Object.values(domains).map(({ counts }) => counts)
  for (const [counter, figure] of Object.entries({ bounce: 'bounced', delivery: 'delivered', reception: 'received' })) {
    assert.equal(sum(counted.map((counts) => counts[counter] ?? 0)), byFigure[figure], counter)
  }
})

test('the overview shows these figures everywhere, and the rows below them add up to them', async () => {
  const { figures } = await get<Figures>('/v1/stats/figures')
  const api = totalsIn(await get<Series>('/v1/stats/series?group=figure'))
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await page.goto(`${server.address}/overview?last=24h`)
  await until(page, "document.querySelectorAll('.providers tbody tr').length > 12")
  await until(page, "document.querySelectorAll('.reasons .number').length > 20 && document.querySelector('.u-over')")
  await keepPicture(page, 'overview-figures')

  const tiles = await readTiles(page)
  assert.deepEqual(Object.fromEntries(tiles), {
    Received: MESSAGES,
    Delivered: countOf('Delivery'),
    Bounced: countOf('Bounce'),
    Complaints: countOf('Feedback'),
  })
  const legend = await readLegend(page)
  assert.deepEqual(Object.fromEntries(legend), {
    Delivered: tiles.get('Delivered'),
    Deferred: countOf('TransientFailure'),
    Bounced: tiles.get('Bounced'),
    'Late bounces': countOf('OOBBounce'),
    Complaints: tiles.get('Complaints'),
  })
  for (const { id, title } of figures) {
    const shown = legend.get(title) ?? tiles.get(title)
    if (shown !== undefined) assert.equal(shown, api[id], title)
  }

  const requireSums = async () => {
    const columns = await readProviders(page)
    for (const title of ['Delivered', 'Deferred', 'Bounced', 'Late bounces', 'Complaints']) {
      assert.equal(sum(columns[title] ?? []), legend.get(title), `providers, ${title}`)
    }
  }
  await requireSums()
  // Nothing but bounces: the worst, though it has no deliveries at all.
  const names = page.locator('.providers tbody tr td:first-child')
  assert.equal(await names.first().textContent(), 'Web.de')
  await page.getByRole('button', { name: 'Show all' }).click()
  // With the row of events without a provider.
  await until(page, `document.querySelectorAll('.providers tbody tr').length === ${PROVIDERS + 2}`)
  await requireSums()
  const reasons = { 'Bounce reasons': 'Bounced', 'Late bounce reasons': 'Late bounces', 'Deferral reasons': 'Deferred' }
  for (const [region, title] of Object.entries(reasons)) {
    const rows = page.getByRole('region', { name: region, exact: true }).locator('.number')
    assert.equal(sum((await rows.allTextContents()).map(toNumber)), legend.get(title), region)
  }
})

test('a tenant finds provider, code, text and domains of a spike in three clicks, by mouse and by keyboard', async () => {
  const [one, two] = installation.domains
  await using visitor = await openVisitor(browser, server.address, { key: installation.tenantKey })
  const { page } = visitor
  // The first click.
  await page.getByRole('link', { name: 'Overview' }).click()
  const findings = page.getByRole('region', { name: 'What changed' })
  const finding = findings.getByRole('listitem')
  await showFindings(page)
  assert.equal(await finding.count(), 1)
  const text = await textOf(finding)
  for (const part of ['Web.de: 120 bounces since ', `${REPLY} [*]`, one, two]) assert(text.includes(part), text)
  await keepPicture(page, 'overview-findings')
  // The second: its events, and no others.
  await finding.getByRole('link', { name: 'Web.de: 120 bounces' }).click()
  await page.waitForURL(/\/log\?.*provider=Web\.de/)
  await page.locator('[data-log-row]').first().waitFor()
  const query = new URL(page.url()).search
  const { events: listed } = await get<EventsPage>(`/v1/events${query}&limit=1000`)
  assert.deepEqual([listed.length, new Set(listed.map(({ id }) => id.split('-')[0]))], [SPIKE, new Set(['spike'])])
  // The server's reply leads to the events that have it, all of them.
  await page.goBack()
  await showFindings(page)
  await finding.getByRole('link', { name: `${REPLY} [*]` }).click()
  await page.waitForURL((url) => url.searchParams.get('reply') === `${REPLY} [*]`)
  await page.locator('[data-log-row]').first().waitFor()
  const ofReply = await get<EventsPage>(`/v1/events${new URL(page.url()).search}&limit=1000`)
  assert.equal(ofReply.events.length, SPIKE)
  // By keyboard, those of one domain.
  await page.goBack()
  await showFindings(page)
  await page.locator('h1').first().click()
  while ((await textOf(page.locator(':focus'))) !== two) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('domain') === two)
  await page.locator('[data-log-row]').first().waitFor()
})

/** On a busy machine they may be late. */
async function showFindings(page: Page): Promise<void> {
  const finding = page.getByRole('region', { name: 'What changed' }).getByRole('listitem')
  const show = page.getByRole('button', { name: /^Show \d+ finding/ })
  await finding.or(show).first().waitFor()
  if (await show.isVisible()) await show.click()
  await finding.first().waitFor()
}

test('findings that arrive last move nothing, and very late ones are shown on request', async () => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await noteShifts(page)
  const finding = page.getByRole('region', { name: 'What changed' }).getByRole('listitem')
  const show = page.getByRole('button', { name: 'Show 1 finding' })
  const visit = async (isLate: boolean) => {
    const answer = Promise.withResolvers<void>()
    await page.route('**/v1/insights', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.goto(`${server.address}/overview`)
    // Loaded, but not visible before it is late.
    const below = page.locator('.providers tbody tr').first()
    await below.waitFor({ state: isLate ? 'visible' : 'attached' })
    answer.resolve()
    await finding.or(show).first().waitFor()
    await below.waitFor()
    const shift = await readShift(page)
    // Stricter than elsewhere: one finding alone is not high.
    assert(shift < SHIFT_MAX / 5, `shifts by ${shift}`)
    await page.unroute('**/v1/insights')
  }
  await visit(false)
  await visit(true)
  assert.equal(await finding.count(), 0)
  await show.click()
  await finding.first().waitFor()
})

test('a quota that is known last moves nothing', async () => {
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await noteShifts(page)
  const answer = Promise.withResolvers<void>()
  await page.route('**/v1/quotas', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as OwnQuotas
    await answer.promise
    await route.fulfill({ response, json: { ...body, quotas: { ...body.quotas, eventsPerDay: 1000 } } })
  })
  await page.goto(`${server.address}/overview`)
  await showFindings(page)
  await page.locator('.providers tbody tr').first().waitFor({ state: 'attached' })
  const before = await readShift(page)
  answer.resolve()
  await page.getByText(/^Events today: /).waitFor()
  await page.locator('.providers tbody tr').first().waitFor()
  const shift = (await readShift(page)) - before
  assert(shift < SHIFT_MAX / 100, `shifts by ${shift}`)
})

test('what a figure counts is in its tooltip, in the words of the definition', async () => {
  const { figures } = await get<Figures>('/v1/stats/figures')
  await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
  const { page } = visitor
  await page.goto(`${server.address}/overview`)
  await page.locator('.legend').first().waitFor()
  const meanings = new Map(figures.map(({ title, meaning }) => [title, meaning]))
  for (const tile of await page.locator('a.figure').all()) {
    const title = await textOf(tile.locator('span').first())
    assert.ok((await tile.getAttribute('title'))?.startsWith(meanings.get(title) ?? 'none'), title)
  }
  for (const item of await page.locator('.legend').all()) {
    const title = (await textOf(item)).replace(/[\d\u2009]+$/, '')
    assert.equal(await item.getAttribute('title'), meanings.get(title), title)
  }
})

const textOf = async (locator: Locator) => (await locator.textContent()) ?? ''

/** The count of each tile: the value itself, or the number in the line below a share. */
async function readTiles(page: Page): Promise<ReadonlyMap<string, number>> {
  const tiles = await page.locator('a.figure').all()
  const read = tiles.map(async (tile) => {
    const title = await textOf(tile.locator('span').first())
    const value = await textOf(tile.locator('.figure-value'))
    const note = await textOf(tile.locator('.figure-note'))
    const [count = ''] = /^[\d\u2009]+/.exec(note) ?? [value]
    return [title, toNumber(count)] as const
  })
  return new Map(await Promise.all(read))
}

async function readLegend(page: Page): Promise<ReadonlyMap<string, number>> {
  const items = (await page.locator('.legend').allTextContents()).map((text) => /^(\D+?)([\d\u2009]+)$/.exec(text))
  return new Map(items.map((match) => [match?.[1] ?? '', toNumber(match?.[2] ?? '')]))
}

/** The counts of each column, without the shares beside them. */
async function readProviders(page: Page): Promise<Record<string, readonly number[]>> {
  const titles = await page.locator('.providers th').allTextContents()
  const cells = await page.evaluate<readonly (readonly string[])[]>(
    `[...document.querySelectorAll('.providers tbody tr')].map((row) => [...row.cells].map((cell) => {
      const share = cell.querySelector('.share')?.textContent ?? ''
      return cell.textContent.slice(0, cell.textContent.length - share.length)
    }))`,
  )
  return Object.fromEntries(titles.map((title, index) => [title, cells.map((row) => toNumber(row[index] ?? ''))]))
}
