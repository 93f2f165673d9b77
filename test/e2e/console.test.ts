/** The console in a real browser, on the demo's data: the tasks of each of its five kinds of users. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import type { DomainDetail } from '../../src/http/v1/domains/domains.wire.ts'
import type { EventsPage, LogEvent } from '../../src/http/v1/log/events.wire.ts'
import type { Facets } from '../../src/http/v1/log/facets.wire.ts'
import type { Message } from '../../src/http/v1/log/messages.wire.ts'
import {
  keepPicture,
  openBrowser,
  openVisitor,
  readClipboard,
  scrollToEnd,
  signIn,
  until,
} from '../harness/programs/browser.ts'
import { type DemoProcess, openDemo } from '../harness/programs/demo-process.ts'

let demo: DemoProcess
let browser: Browser
before(async () => {
  ;[demo, browser] = await Promise.all([openDemo(), openBrowser()])
})
after(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

const visit = (key = demo.key) => openVisitor(browser, demo.address, { key })
/** For tests that begin at an address. */
const visitSignedIn = (key = demo.key) => openVisitor(browser, demo.address, { session: key })
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Message' })
const rowsOf = (page: Page) => page.locator('[data-log-row]')
const textOf = async (locator: Locator) => (await locator.textContent()) ?? ''

/** A message that was delivered after at least one deferral. */
async function findDeferredMessage(): Promise<Message> {
  const { events } = await demo.get<EventsPage>('/v1/events?type=TransientFailure&limit=200')
  for (const { id, domain_name: domain } of events) {
    const message = await demo.get<Message>(`/v1/messages/${id}?domain=${domain}`)
    if (message.outcome === 'delivered') return message
  }
  throw new Error('the demo has no message that was deferred and then delivered')
}

test('support, by keyboard alone: paste a name with its address, press Enter, read what happened, copy a link to it', async () => {
  const message = await findDeferredMessage()
  const [recipient = ''] = message.recipients
  await using visitor = await openVisitor(browser, demo.address)
  const { page } = visitor
  await page.goto(demo.address)
  await signIn(page, demo.key)
  await page.keyboard.press('/')
  await page.keyboard.insertText(`Somebody O’Else <${recipient}>`)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/log\?q=.*&message=/)
  await panelOf(page)
    .getByRole('list', { name: /^Timeline/ })
    .waitFor()
  assert((await textOf(panelOf(page))).includes(recipient), 'the panel of the newest message to the address')
  assert.deepEqual([...new Set(await rowsOf(page).allTextContents())], [recipient])

  await until(page, "document.activeElement.matches('[data-log-row]')")
  for (;;) {
    const link = await page.locator(':focus').getAttribute('href')
    if (link?.includes(message.id)) break
    await page.keyboard.press('ArrowDown')
    await until(page, `document.activeElement.getAttribute('href') !== ${JSON.stringify(link)}`)
  }
  await page.keyboard.press('Enter')
  const panel = panelOf(page)
  await panel.getByText('Delivered', { exact: true }).waitFor()
  const steps = panel.getByRole('list', { name: /^Timeline/ }).getByRole('listitem')
  assert.equal(await steps.count(), message.events.length)
  const text = await textOf(panel)
  for (const { explanation, response_content: words, response_code: code, peer_name: peer } of message.events) {
    for (const part of [explanation, words, code, peer]) {
      if (part !== undefined) assert(text.includes(String(part)), String(part))
    }
  }
  assert.match(text, /\+\d/, 'the time since the previous event')

  while ((await textOf(page.locator(':focus'))) !== 'Copy link') await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await panel.getByText('Copied').first().waitFor()
  const link = await readClipboard(page)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.goto(link)
  await panelOf(page).getByText('Delivered', { exact: true }).waitFor()
})

test('support, in two actions: paste a name with its address, press Enter: the verdict, who else has it, and an answer to copy', async () => {
  const bounce = await findBounce()
  await using visitor = await visit()
  const { page } = visitor
  await page.keyboard.press('/')
  await page.keyboard.insertText(`Somebody <${bounce.recipient}>`)
  await page.keyboard.press('Enter')
  const verdict = panelOf(page).getByRole('list', { name: 'Verdict' })
  await verdict.getByText(`Not delivered: ${bounce.recipient}`).waitFor()
  await verdict.getByRole('button', { name: 'Copy text for a reply' }).click()
  await verdict.getByText('Copied').first().waitFor()
  const answer = await readClipboard(page)
  assert(answer.startsWith('Not delivered: the message “'), answer)
  for (const part of [bounce.recipient, String(bounce.response_code)]) assert(answer.includes(part), part)
  await verdict.getByRole('link', { name: /more with this response/ }).click()
  await page.waitForURL(/type=Bounce/)
  await until(
    page,
    '[...document.querySelectorAll(".log-row .log-event")].every((cell) => cell.textContent === "Bounce")',
  )
})

/** Whose newest event is a bounce, and not the only one of its kind. */
async function findBounce(): Promise<LogEvent> {
  const from = new Date(Date.now() - 23 * 3_600_000).toISOString()
  const { events } = await demo.get<EventsPage>(`/v1/events?type=Bounce&limit=1000&from=${from}`)
  const sameAs = (one: LogEvent) => (other: LogEvent) =>
    one.response_code === other.response_code &&
    one.provider_name === other.provider_name &&
    one.bounce_classification === other.bounce_classification
  for (const event of events) {
    const path = `/v1/events?limit=1&recipient=${encodeURIComponent(event.recipient)}`
    const newest = (await demo.get<EventsPage>(path)).events[0]
    if (newest?.id === event.id && events.filter(sameAs(event)).length > 1) return event
  }
  throw new Error('the demo has no address whose newest message bounced')
}

test('support, by mouse: paste a name with its address, click the row', async () => {
  const { events } = await demo.get<EventsPage>('/v1/events?limit=1')
  const recipient = events[0]?.recipient ?? ''
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/log`)
  await rowsOf(page).first().waitFor()
  await page.getByRole('combobox', { name: 'Search the log' }).fill(`"Else, Somebody" <${recipient}>`)
  await page.waitForURL(/\/log\?q=/)
  await until(
    page,
    `[...document.querySelectorAll('[data-log-row]')].every((row) => row.textContent === ${JSON.stringify(recipient)})`,
  )
  await rowsOf(page).first().click()
  await panelOf(page)
    .getByRole('list', { name: /^Timeline/ })
    .waitFor()
  assert((await textOf(panelOf(page))).includes(recipient))
})

test('tenant developer, by keyboard alone: operators and their values are completed, and an error names its part', async () => {
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/log`)
  await rowsOf(page).first().waitFor()
  const field = page.getByRole('combobox', { name: 'Search the log' })
  const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option')
  await page.keyboard.press('/')
  await page.keyboard.press('ArrowDown')
  await options.filter({ hasText: /^subject:/ }).waitFor()
  await page.keyboard.press('Escape')
  await options.first().waitFor({ state: 'detached' })
  await page.keyboard.type('-ty')
  await options.filter({ hasText: /^-type:/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), '-type:')
  await page.keyboard.type('rec')
  await options.filter({ hasText: '-type:Reception' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await until(
    page,
    "document.querySelector('[role=option][aria-selected=true]')?.id === document.activeElement.getAttribute('aria-activedescendant')",
  )
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), '-type:Reception ')
  await page.keyboard.type('prov')
  await options.filter({ hasText: /^provider:/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await options
    .filter({ hasText: /in 30 days$/ })
    .first()
    .waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const chosen = (await field.inputValue()).trim()
  await page.waitForURL((url) => url.searchParams.get('q') === chosen)
  await until(
    page,
    '[...document.querySelectorAll(".log-row .log-event")].every((cell) => cell.textContent !== "Reception") && document.querySelector("[data-log-row]")',
  )
  await page.keyboard.type('code:9x')
  await page.getByRole('alert').filter({ hasText: 'code:9x: not a response code.' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('q'), chosen, 'what is shown stays')
  await page.keyboard.type('x')
  await page.waitForURL((url) => url.searchParams.get('q') === `${chosen} code:9xx`)
  await page.getByText('No matching events').waitFor()
})

test('tenant developer, by keyboard alone: filters are chips and part of the address; the back button removes them', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await rowsOf(page).first().waitFor()
  await page.keyboard.press('f')
  await page.getByRole('button', { name: 'Type', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('checkbox', { name: /^Bounce/ }).waitFor()
  const focusedLabel = "document.activeElement.closest('label')?.textContent.trim()"
  while (!(await page.evaluate<string>(focusedLabel)).startsWith('Bounce')) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.waitForURL(/type=Bounce/)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const chip = page.getByRole('button', { name: 'Remove filter type Bounce' })
  await chip.waitFor()
  await until(
    page,
    '[...document.querySelectorAll(".log-row .log-event")].every((cell) => cell.textContent === "Bounce")',
  )
  await page.keyboard.press('f')
  const code = page.getByRole('button', { name: 'Code', exact: true })
  await code.waitFor()
  while ((await textOf(page.locator(':focus'))) !== 'Code') await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Code').waitFor()
  await page.keyboard.type('5xx')
  await page.keyboard.press('Enter')
  await page.waitForURL(/type=Bounce&code=5xx/)
  await page.reload()
  await page.getByRole('button', { name: 'Remove filter code 5xx' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Remove filter code 5xx' }).waitFor({ state: 'detached' })
  await chip.waitFor()
  const focused = "document.activeElement.getAttribute('aria-label')"
  while ((await page.evaluate(focused)) !== 'Remove filter type Bounce') await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await chip.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
})

test('tenant developer, by mouse: values beside the list and in a message are shown alone or left out, and counts agree', async () => {
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/log?q=code:5xx&last=24h`)
  const counts = page.getByRole('complementary', { name: 'Counts' })
  const types = counts.getByRole('list', { name: 'Type', exact: true })
  await types.getByRole('button', { name: 'Leave out type Bounce' }).click()
  await page.waitForURL(/not_type=Bounce/)
  await page.getByRole('button', { name: 'Remove filter not type Bounce' }).click()
  await page.waitForURL((url) => !url.searchParams.has('not_type'))
  await types.getByRole('button', { name: /^Bounce/ }).click()
  await page.waitForURL(/type=Bounce/)
  await until(page, 'document.querySelectorAll(".facets [aria-label=Type] li").length === 1')
  const { searchParams } = new URL(page.url())
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const expected = await demo.get<Facets>(
    `/v1/events/facets?q=${searchParams.get('q')}&type=Bounce&from=${encodeURIComponent(from)}`,
  )
  assert(expected.total > 0)
  const shown = Number(/([\d\s]+) event/.exec(await textOf(counts))?.[1]?.replaceAll(/\s/g, ''))
  // The window moves on, and new mail is generated all the time.
  assert(Math.abs(shown - expected.total) <= expected.total / 5 + 5, `${shown} of ${expected.total}`)
  await rowsOf(page).first().click()
  const panel = panelOf(page)
  await panel.getByTitle('Filter by this domain').click()
  await page.getByRole('menuitem', { name: 'Only this domain' }).click()
  await page.waitForURL(/&domain=/)
  await panel.waitFor()
})

test('tenant developer, by mouse: the time is a day, or a range in words', async () => {
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/log?tz=utc`)
  await page.getByRole('button', { name: 'Last 15 days' }).click()
  await page.getByRole('menuitem', { name: 'Yesterday' }).click()
  await page.waitForURL(/from=[^&]+T00%3A00%3A00.000Z&to=[^&]+T00%3A00%3A00.000Z/)
  const { searchParams } = new URL(page.url())
  const [from, to] = ['from', 'to'].map((name) => searchParams.get(name) ?? '')
  assert.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 86_400_000)
  await rowsOf(page).first().waitFor()
  await page.getByRole('button', { name: / – 00:00$| – \d/ }).click()
  await page.getByRole('menuitem', { name: 'Custom range…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Range').fill('3 Foo')
  await dialog.getByText('Not understood.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Show events' }).isDisabled(), true)
  await dialog.getByLabel('Range').fill(`${(from ?? '').slice(0, 10)} 14:00–16:30`)
  await dialog.getByRole('button', { name: 'Show events' }).click()
  await page.waitForURL(/from=[^&]+T14%3A00%3A00.000Z&to=[^&]+T16%3A30%3A00.000Z/)
})

test('tenant developer: the list loads more while scrolling, follows new events, and can be exported', async () => {
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/log?type=Bounce`)
  await rowsOf(page).first().waitFor()
  const rows = page.getByTestId('log-rows')
  await scrollToEnd(page)
  const [, shown = ''] = /([\d\s]+) events · end of list/.exec(await textOf(rows)) ?? []
  const count = Number(shown.replaceAll(/\s/g, ''))
  assert(count > 150)

  const csv = await exportAs(page, 'CSV')
  const lines = csv.trim().split(/\r?\n/)
  assert(lines.length > count, 'one line per event and one for the header; some responses have several lines')
  const ndjson = await exportAs(page, 'NDJSON')
  const events = ndjson.trim().split('\n')
  assert(events.length >= count)
  assert(events.every((line) => (JSON.parse(line) as { type: string }).type === 'Bounce'))

  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByRole('button', { name: 'Copy as curl' }).getByText('Copied').waitFor()
  const [, address = ''] = /^curl -H "Authorization: \$ENVELOG_KEY" '([^']+)'$/.exec(await readClipboard(page)) ?? []
  const { events: same } = await demo.get<EventsPage>(address.replace(demo.address, ''))
  assert(same.length > 0 && same.every(({ type }) => type === 'Bounce'))

  await page.goto(`${demo.address}/log`)
  await rowsOf(page).first().waitFor()
  await page.keyboard.press('l')
  await page.locator('.live[data-state="open"]').waitFor()
  await page.locator('.log-row[data-fresh="true"]').first().waitFor()
  await page.evaluate("document.querySelector('.log-rows').scrollTop = 2000")
  // The row in the middle: rows at the edges come and go while the list is scrolled.
  const reading = `(() => {
    const { left, top, height } = document.querySelector('.log-rows').getBoundingClientRect()
    return document.elementFromPoint(left + 40, top + height / 2)?.closest('.log-row')?.textContent ?? ''
  })()`
  await until(page, `${reading} !== ''`)
  const before = await page.evaluate<string>(reading)
  const isSame = `(text) => [...document.querySelectorAll('.log-row')].some((row) => row.textContent === text)`
  await page.getByRole('button', { name: /^\d+ new$/ }).waitFor()
  assert(await page.evaluate(`(${isSame})(${JSON.stringify(before)})`), 'the row being read has not moved')
  await page.getByRole('button', { name: /^\d+ new$/ }).click()
  await until(page, 'document.querySelector(".log-rows").scrollTop === 0')
})

async function exportAs(page: Page, format: string): Promise<string> {
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: format, exact: false }).first().click(),
  ])
  return readFileSync(await download.path(), 'utf8')
}

test('domain owner: sees what is wrong with a record, required and found values side by side, and the tree of the SPF policy', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.getByRole('link', { name: 'Domains' }).first().click()
  await page.getByRole('link', { name: 'billing.acme.example' }).click()
  await page.getByRole('heading', { name: /billing\.acme\.example/ }).waitFor()
  const { records } = await demo.get<DomainDetail>('/v1/domains/billing.acme.example')
  const dkim = records.find(({ purpose }) => purpose === 'DKIM')
  assert(dkim)
  await page.getByRole('button', { name: 'Copy host' }).first().click()
  assert.equal(await readClipboard(page), dkim.host)
  await page.getByRole('button', { name: 'Copy full name' }).first().click()
  assert.equal(await readClipboard(page), dkim.name)
  assert(dkim.name.startsWith(`${dkim.host}.`))
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByText('Checked just now.').waitFor()
  const comparison = page.getByRole('group', { name: 'Required and found' }).first()
  const marked = await comparison.locator('mark').allTextContents()
  assert.equal(marked.join(''), dkim.value.slice(255), 'exactly the missing part is marked')

  // With several SPF records, the value to copy is the one that keeps the other senders, before and after a check.
  const spf = records.find(({ purpose }) => purpose === 'SPF')
  assert(spf && spf.found.length === 2 && spf.error !== undefined)
  const [merged = ''] = spf.wanted
  assert.match(merged, /include:_spf\.helpdesk\.example/)
  for (const open of [() => page.reload(), () => page.getByRole('button', { name: 'Verify now' }).click()]) {
    await open()
    const card = page.getByRole('article').filter({ hasText: merged })
    await card.getByRole('button', { name: 'Copy value' }).click()
    assert.equal(await readClipboard(page), merged)
    assert.notEqual(merged, spf.value)
    await card.getByText('combines the records that exist already').waitFor()
  }

  await page.goto(`${demo.address}/domains/shop.acme.example`)
  const tree = page.getByRole('region', { name: 'SPF policy' })
  await tree.getByText('3 of 10 lookups').waitFor()
  assert.match(await textOf(tree), /include:_spf\.helpdesk\.example[\s\S]*include:_blocks\.helpdesk\.example/)

  // The title does not wait for the rest, and stays if that cannot be loaded.
  const isAsked = Promise.withResolvers<void>()
  const mayFail = Promise.withResolvers<void>()
  await page.route('**/v1/domains/news.acme.example', async (route) => {
    isAsked.resolve()
    await mayFail.promise
    await route.fulfill({ status: 503, json: { error: 503, message: 'Try again later.' } })
  })
  await page.goto(`${demo.address}/domains/news.acme.example`)
  await isAsked.promise
  await page.getByRole('heading', { level: 1, name: 'news.acme.example' }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  mayFail.resolve()
  await page.getByText('Could not load the domain').waitFor()
  await page.getByText('Try again later.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'news.acme.example' }).waitFor()
})

test('manager: reads the figures of one domain or all, and opens the log from a figure and from the chart', async () => {
  await using visitor = await visitSignedIn()
  const { page } = visitor
  await page.goto(`${demo.address}/overview`)
  const bounced = page.getByRole('link', { name: /^Bounced/ })
  await bounced.getByText(/\d permanently failed/).waitFor()
  await page.getByRole('img', { name: /over time: delivered/ }).waitFor()
  const all = await textOf(page.getByRole('link', { name: /^Received/ }))
  await page.getByLabel('Domain').selectOption('shop.acme.example')
  await page.waitForURL(/domain=shop/)
  const figure = "document.querySelector('.figure').textContent"
  await until(page, `${figure} !== ${JSON.stringify(all)} && /\\d/.test(${figure})`)
  assert.match(await textOf(page.getByRole('link', { name: /^Complaints/ })), /0\.1 %[\s\S]*0\.3 %/)
  await bounced.click()
  await page.waitForURL(/\/log\?type=Bounce&domain=shop\.acme\.example&from=.+&to=/)
  await rowsOf(page).first().waitFor()
  await page.goBack()
  const chart = page.locator('.u-over')
  await chart.waitFor()
  await chart.hover()
  await chart.click()
  await page.waitForURL(/\/log\?type=Delivery.*&from=.+&to=/)
  const { searchParams } = new URL(page.url())
  const length = Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')
  assert.equal(length, 3_600_000)
  await page.goto(`${demo.address}/overview`)
  await page.getByRole('region', { name: 'Bounce reasons' }).getByRole('link').first().click()
  await page.waitForURL(/classification=/)
  await rowsOf(page).first().waitFor()
})

/** By keyboard, once the field is open. */
async function chooseTenant(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${field} `) }).click()
  await page.keyboard.type(name)
  await page.getByRole('option', { name, exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `${field} ${name}`, exact: true }).waitFor()
}

describe('operator', () => {
  test('creates a tenant and its key, which signs in until it is revoked', async () => {
    await using operator = await visit(demo.adminKey)
    const { page } = operator
    await page.getByRole('link', { name: 'Tenants' }).first().click()
    await page.getByRole('button', { name: 'Create tenant' }).click()
    await page.getByLabel('Name').fill('Globex')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'Globex', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Keys' }).first().click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await chooseTenant(page, 'Owner', 'Globex')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const key = await textOf(page.getByTestId('new-key'))
    await page.getByRole('button', { name: 'Done' }).click()
    assert(!(await page.content()).includes(key), 'the key is shown once')

    await using newcomer = await openVisitor(browser, demo.address, { key })
    await newcomer.page.goto(`${demo.address}/log?last=all`)
    await newcomer.page.getByText('No events yet').waitFor()

    const id = key.split('_')[1] ?? ''
    await page.getByRole('button', { name: `Revoke key ${id}` }).click()
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await page
      .getByRole('row', { name: new RegExp(id) })
      .getByText(/revoked/)
      .waitFor()
    await until(newcomer.page, "fetch('/v1/session').then(({ status }) => status === 401)")
    await newcomer.page.reload()
    await newcomer.page.getByLabel('API key').waitFor()
    await newcomer.page.getByText('This API key was revoked').waitFor()
    await newcomer.page.getByLabel('API key').fill(key)
    await newcomer.page.keyboard.press('Enter')
    await newcomer.page.getByRole('alert').getByText('This API key was revoked').waitFor()
  })

  test('adds and activates a domain, and replays the records that were rejected without it', async () => {
    await using operator = await visitSignedIn(demo.adminKey)
    const { page } = operator
    await page.goto(`${demo.address}/operator/quarantine`)
    await page
      .getByText(/outlet\.acme\.example/)
      .first()
      .waitFor()
    await page.goto(`${demo.address}/operator/domains`)
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByLabel('Name').fill('outlet.acme.example')
    await chooseTenant(page, 'Tenant', 'Acme')
    await page.getByLabel('Active').uncheck()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Activate outlet.acme.example' }).click()
    await page.getByRole('button', { name: 'Activate outlet.acme.example' }).waitFor({ state: 'detached' })
    await page.goto(`${demo.address}/operator/quarantine`)
    await page.getByRole('button', { name: 'Replay all' }).click()
    await page.getByText(/2 replayed: 1 stored, 0 duplicates, 1 still rejected/).waitFor()
    const { events } = await demo.get<EventsPage>('/v1/events?domain=outlet.acme.example')
    assert.equal(events.length, 1)
  })

  test('suspends a tenant, removes a domain after typing its name, and erases a recipient with a receipt', async () => {
    await using operator = await visitSignedIn(demo.adminKey)
    const { page } = operator
    const create = (path: string, body: object) =>
      fetch(`${demo.address}/v1/admin/${path}`, {
        method: 'POST',
        headers: { authorization: demo.adminKey },
        body: JSON.stringify(body),
      })
    await create('tenants', { name: 'Leaving' })
    await create('domains', { name: 'leaving.example', tenant: 'Leaving', active: true })

    await page.goto(`${demo.address}/operator/tenants`)
    const act = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await act('Leaving', 'Suspend…')
    await page.getByRole('button', { name: 'Suspend tenant', exact: true }).click()
    await page.getByText('Suspended', { exact: true }).waitFor()
    await act('Leaving', 'Change retention…')
    await page.getByLabel('Retention in days').fill('30')
    await page.keyboard.press('Enter')
    await page.getByText('30 days').waitFor()
    await keepPicture(page, 'operator-suspended')

    await page.goto(`${demo.address}/operator/domains`)
    await act('leaving.example', 'Remove…')
    const confirm = page.getByRole('button', { name: 'Remove domain', exact: true })
    await page.getByLabel('Type leaving.example to confirm').fill('leaving')
    assert.equal(await confirm.isDisabled(), true)
    await page.getByLabel('Type leaving.example to confirm').fill('leaving.example')
    await confirm.click()
    await page.getByText('leaving.example', { exact: true }).waitFor({ state: 'detached' })

    // Of a message to which nothing more happens.
    const before = new Date(Date.now() - 3 * 86_400_000).toISOString()
    const [event] = (await demo.get<EventsPage>(`/v1/events?type=Delivery&limit=1&to=${before}`)).events
    const address = event?.recipient ?? ''
    await page.goto(`${demo.address}/operator/removals`)
    await page.getByRole('button', { name: 'Erase recipient' }).click()
    await page.getByLabel('Address', { exact: true }).fill(address)
    await page.getByLabel('Type the address again to confirm').fill(address)
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /recipient sha256:.*Finished/ }).waitFor({ timeout: 120_000 })
    await page
      .getByRole('button', { name: /^Receipt of removal/ })
      .first()
      .click()
    await page.getByText('"kind": "recipient"').waitFor()
    await keepPicture(page, 'operator-receipt')
    const left = await demo.get<EventsPage>(`/v1/events?recipient=${encodeURIComponent(address)}&limit=1`)
    assert.deepEqual(left.events, [])
  })

  test('sees that events can be stored, and the size of each day', async () => {
    await using operator = await visitSignedIn(demo.adminKey)
    const { page } = operator
    await page.goto(`${demo.address}/operator/ingest`)
    await page.getByText('Writable: events are being stored').waitFor()
    await page.goto(`${demo.address}/operator/storage`)
    await page.getByRole('row').nth(10).waitFor()
  })
})

describe('access', () => {
  test("a tenant's key cannot open the operator's pages, not even by address", async () => {
    await using visitor = await visit()
    const { page } = visitor
    assert.equal(await page.getByRole('link', { name: 'Tenants' }).count(), 0)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const names = ['', '/tenants', '/keys', '/domains', '/ingest', '/quarantine', '/removals', '/storage', '/audit']
    const tenant = `/tenant/${crypto.randomUUID()}`
    const others = ['/sending', tenant, `${tenant}/overview`, `${tenant}/log`, `${tenant}/domains`, `${tenant}/sending`]
    for (const path of [...names.map((name) => `/operator${name}`), ...others]) {
      await page.goto(`${demo.address}${path}`)
      await page.getByText('Your key has no access to this page').waitFor()
    }
    assert.deepEqual(
      asked.filter(
        (path) => path.startsWith('/v1/admin') || /(operator-pages|sending-page|reading-bar).*\.js$/.test(path),
      ),
      [],
    )
    for (const path of ['tenants', 'keys', 'domains', 'ingest', 'quarantine', 'removals', 'storage']) {
      const status = await page.evaluate(`fetch('/v1/admin/${path}').then((response) => response.status)`)
      assert.equal(status, 403, path)
    }
  })

  test("an operator's key that only reads opens the operator's pages without the buttons that change something", async () => {
    const created = await fetch(`${demo.address}/v1/admin/keys`, {
      method: 'POST',
      headers: { authorization: demo.adminKey },
      body: JSON.stringify({ scopes: ['read'], name: 'auditor', networks: ['127.0.0.1'] }),
    })
    const { key } = (await created.json()) as { key: string }
    await using visitor = await visitSignedIn(key)
    const { page } = visitor
    for (const path of ['tenants', 'keys', 'domains']) {
      await page.goto(`${demo.address}/operator/${path}`)
      await page.locator('.table tbody tr').first().waitFor()
      assert.equal(
        await page.getByRole('button', { name: /^(Create|Add|Revoke|Activate|Actions|Erase)/ }).count(),
        0,
        path,
      )
    }
    await page.goto(`${demo.address}/operator/keys`)
    await page.getByText('auditor').waitFor()
  })

  test('a key that only sends events opens no page, and the console says why', async () => {
    const created = await fetch(`${demo.address}/v1/admin/keys`, {
      method: 'POST',
      headers: { authorization: demo.adminKey },
      body: JSON.stringify({ scopes: ['ingest'] }),
    })
    const { key } = (await created.json()) as { key: string }
    await using visitor = await openVisitor(browser, demo.address)
    const { page } = visitor
    await page.goto(demo.address)
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    await page.getByText('It only sends events').waitFor()
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').count(), 0)
  })

  test('the key is never in browser storage, in cookies that scripts can read, or in URLs; a wrong key is refused with a message', async () => {
    await using visitor = await openVisitor(browser, demo.address)
    const { page } = visitor
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(`${demo.address}/log?type=Bounce`)
    await page.getByLabel('API key').fill('env_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill('')
    await signIn(page, demo.key)
    await page.waitForURL(/\/log\?type=Bounce/)
    const kept: string = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    )
    assert(!kept.includes(demo.key))
    assert(addresses.every((address) => !address.includes(demo.key)))
    await page.getByRole('link', { name: 'Domains' }).first().click()
    await page.getByRole('button', { name: 'Account: Acme' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    await page.goBack()
    await page.getByLabel('API key').waitFor()
  })
})

test('the chosen theme persists, also on a narrow screen, where a button opens the navigation', async () => {
  await using visitor = await openVisitor(browser, demo.address, {
    key: demo.key,
    colorScheme: 'light',
    viewport: { width: 360, height: 740 },
  })
  const { page } = visitor
  const background = 'getComputedStyle(document.body).backgroundColor'
  assert.equal(await page.evaluate(background), 'rgb(255, 255, 255)')
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Account: Acme' }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  await until(page, `${background} !== 'rgb(255, 255, 255)'`)
  await page.reload()
  await until(page, "document.querySelector('.frame') !== null")
  assert.notEqual(await page.evaluate(background), 'rgb(255, 255, 255)')
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Domains' }).click()
  await page.getByRole('heading', { name: 'Domains' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the first page loads at most 150 KB, compressed, and nothing from another host', async () => {
  for (const path of ['/log', '/overview']) {
    await using visitor = await visitSignedIn()
    const { page } = visitor
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.setCacheDisabled', { cacheDisabled: true })
    let bytes = 0
    const files = new Set<string>()
    network.on('Network.responseReceived', ({ requestId, type, response }) => {
      assert(response.url.startsWith(demo.address), response.url)
      if (['Document', 'Script', 'Stylesheet'].includes(type)) files.add(requestId)
    })
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (files.has(requestId)) bytes += encodedDataLength
    })
    await page.goto(`${demo.address}${path}`)
    await page.waitForLoadState('networkidle')
    assert(files.size > 0)
    assert(bytes > 50_000 && bytes <= 150_000, `${path} loads ${bytes} bytes`)
  }
})

describe('a part of the console that could not be loaded', () => {
  const CHUNK = /\/assets\/domains-page-.*\.js/

  test('is loaded by a retry or by opening the page again, and a lost connection is called that', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const isOffline = (url: URL) => CHUNK.test(url.pathname) || url.pathname === '/'
    await page.route(isOffline, (route) => route.abort())
    await page.getByRole('link', { name: 'Domains' }).first().click()
    await page.getByText('No connection to the server').waitFor()
    await page.getByRole('link', { name: 'Log', exact: true }).first().click()
    await rowsOf(page).first().waitFor()
    await page.getByRole('link', { name: 'Domains' }).first().click()
    await page.getByText('No connection to the server').waitFor()
    await page.unroute(isOffline)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Domains' }).waitFor()
    // What a boundary catches is logged as well.
    assert(
      visitor.complaints.every((text) => /No connection/.test(text)),
      visitor.complaints.join('\n'),
    )
    visitor.complaints.length = 0
  })

  test('because the server was upgraded: the page offers to reload', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const other = '<script type="module" src="/assets/index-newer123.js"></script>'
    await page.route(`${demo.address}/`, (route) => route.fulfill({ contentType: 'text/html', body: other }))
    await page.evaluate("window.dispatchEvent(new Event('online'))")
    await page.getByText('The console has been updated on the server').waitFor()
    await page.unroute(`${demo.address}/`)
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()])
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await page.getByText('The console has been updated on the server').count(), 0)
  })
})

test('times, days and axes are in one zone, local or UTC, which is part of the address', async () => {
  await using visitor = await openVisitor(browser, demo.address, { session: demo.key, timezoneId: 'Asia/Kolkata' })
  const { page } = visitor
  const { events } = await demo.get<EventsPage>(
    `/v1/events?limit=1&to=${new Date(Date.now() - 3_600_000).toISOString()}`,
  )
  const timeMs = (events[0]?.timestamp ?? 0) * 1000
  const clockIn = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(timeMs)
  const path = `/log?from=${new Date(timeMs).toISOString()}&to=${new Date(timeMs + 1000).toISOString()}`
  await page.goto(`${demo.address}${path}`)
  await page.locator('.log-time').getByText(clockIn('Asia/Kolkata')).first().waitFor()
  await page.locator('.histogram rect').first().waitFor()
  assert.match(await textOf(page.locator('.histogram-axis')), /:30/, 'an hour of UTC begins at half past in India')
  await page.getByRole('button', { name: 'Time zone: Local time' }).click()
  await page.waitForURL(/tz=utc/)
  await page.locator('.log-time').getByText(clockIn('UTC')).first().waitFor()
  assert.match(await textOf(page.locator('.histogram-axis')), /:00/)
  await page.getByRole('link', { name: 'Overview' }).first().click()
  await page.waitForURL(/\/overview\?tz=utc/)
  await page.goto(`${demo.address}/overview?last=7d&bucket=day&tz=local`)
  await page.locator('.u-over').click()
  await page.waitForURL(/\/log\?/)
  const { searchParams } = new URL(page.url())
  const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
  // Midnight in India is half past six in the evening in UTC; counts are by the hour.
  assert.deepEqual(
    [from, to].map((ms) => new Date(ms ?? 0).toISOString().slice(11, 16)),
    ['19:00', '19:00'],
  )
})
