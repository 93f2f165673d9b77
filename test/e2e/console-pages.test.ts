/** Every page of the console, dark and light: no axe violation, nothing wider than the screen, no layout shift. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Tenants } from '../../src/http/v1/administration/tenants.wire.ts'
import type { EventsPage } from '../../src/http/v1/log/events.wire.ts'
import { openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { type DemoProcess, openDemo } from '../harness/programs/demo-process.ts'
import { examinePage, noteShifts, readShift, SHIFT_MAX } from '../harness/programs/examine-page.ts'

let demo: DemoProcess
let browser: Browser
before(async () => {
  ;[demo, browser] = await Promise.all([openDemo(), openBrowser()])
  await refuseMany()
})
after(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

/** Far more than usual, so that the overview has something to report. */
async function refuseMany(): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const events = Array.from({ length: 400 }, (_, index) => ({
    id: `refused-${index}`,
    timestamp: now - 60 - 5 * index,
    type: 'Bounce',
    domain_name: 'shop.acme.example',
    recipient: `person${index}@example.net`,
    provider_name: 'Google',
    bounce_classification: 'SpamBlock',
    response_code: 550,
    response_content: `550 5.7.1 [192.0.2.${index % 200}] This message is likely unsolicited mail. ${index}x - gsmtp`,
  }))
  const headers = { authorization: demo.ingestKey }
  const { status } = await fetch(`${demo.address}/ingest/events`, {
    method: 'POST',
    headers,
    body: JSON.stringify(events),
  })
  assert.equal(status, 200)
}

/** The log with one of the refused messages. The lists themselves are examined on their own: below a menu, a short one is enough. */
const FEW = '/log?q=person7%40example.net'
const FEW_MESSAGE = `${FEW}&message=refused-7&in=shop.acme.example`

interface View {
  readonly name: string
  readonly path: string | (() => Promise<string>)
  /** An expression that is true in the page once it is complete. */
  readonly isComplete: string
  /** Actions of a visitor before the page is examined. */
  readonly act?: (page: Page) => Promise<unknown>
}

const hasText = (text: string) => `document.body.textContent.includes(${JSON.stringify(text)})`
const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`

/** Those that arrive after the rest of the page wait behind a button. */
async function showFindings(page: Page): Promise<void> {
  await page.locator('.findings-list, .finding-news').first().waitFor()
  if ((await page.locator('.findings-list').count()) === 0) await page.locator('.finding-news').click()
}

const verify = (page: Page) => page.getByRole('button', { name: 'Verify now' }).click()

const TENANT_VIEWS: readonly View[] = [
  {
    name: 'overview',
    path: '/overview',
    isComplete: `${has('[data-drawn=true] .providers')} && ${has('.u-over')} && ${has('.reason')}`,
  },
  { name: 'log', path: '/log', isComplete: `${has('[data-log-row]')} && ${has('.histogram rect')}` },
  { name: 'log-filtered', path: '/log?type=Bounce&code=5xx&subject=order', isComplete: has('.histogram rect') },
  { name: 'log-nothing', path: '/log?q=nobody-has-this', isComplete: hasText('No matching events') },
  {
    name: 'message',
    path: linkToMessage,
    isComplete: `${has('.step')} && ${has('.verdict')} && ${has('[data-log-row]')}`,
  },
  { name: 'message-missing', path: '/log?message=none', isComplete: hasText('Message not found') },
  {
    name: 'filter',
    path: FEW,
    isComplete: `${has('.filter-choice')} && ${has('[data-log-row]')}`,
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  { name: 'domains', path: '/domains', isComplete: `${has('.domains-table tbody tr')} && ${has('.spark')}` },
  { name: 'domain-wrong', path: '/domains/billing.acme.example', isComplete: has('.spf'), act: verify },
  { name: 'domain-right', path: '/domains/shop.acme.example', isComplete: has('.spf'), act: verify },
  { name: 'domain-missing', path: '/domains/nowhere.test', isComplete: hasText('Domain nowhere.test not found') },
  { name: 'not-for-this-key', path: '/operator/keys', isComplete: hasText('Your key has no access') },
  { name: 'keyboard', path: '/domains', isComplete: has('.keys-row'), act: (page) => page.keyboard.press('?') },
]

/** What opens over a page, or is there only on a bad day. */
const OPENED_VIEWS: readonly View[] = [
  { name: 'findings', path: '/overview', isComplete: has('.findings-list'), act: showFindings },
  {
    name: 'value-menu',
    path: FEW_MESSAGE,
    isComplete: `${has('[role=menu]')} && ${has('[data-log-row]')}`,
    act: (page) => page.getByTitle('Filter by this domain').click(),
  },
  {
    name: 'columns-menu',
    path: `${FEW}&columns=code,domain,response&density=compact`,
    isComplete: `${has('[role=menuitemcheckbox]')} && ${has('[data-log-row]')}`,
    act: (page) => page.getByRole('button', { name: 'Columns and density' }).click(),
  },
  {
    name: 'views-menu',
    path: FEW,
    isComplete: `${hasText('Rename, copy link')} && ${has('[data-log-row]')}`,
    act: openViews,
  },
  {
    name: 'views-save',
    path: FEW,
    isComplete: `${has('.dialog form')} && ${has('[data-log-row]')}`,
    async act(page) {
      await openViews(page)
      await page.getByRole('menuitem', { name: 'Save as view…' }).click()
    },
  },
  {
    name: 'views',
    path: FEW,
    isComplete: `${has('.view form')} && ${has('[data-log-row]')}`,
    async act(page) {
      await openViews(page)
      await page.getByRole('menuitem', { name: 'Rename, copy link, delete…' }).click()
      await page.getByRole('button', { name: 'Delete Bounces of today' }).click()
      await page.getByRole('button', { name: 'Rename Deliveries to' }).click()
    },
  },
]

/** No tenant has this id. */
const NOBODY = '00000000-0000-4000-8000-000000000000'

const OPERATOR_VIEWS: readonly View[] = [
  {
    name: 'operator-overview',
    path: '/overview',
    isComplete: `${has('[data-drawn=true] .providers')} && ${has('.u-over')} && ${has('.reading-switch')}`,
  },
  { name: 'operator-log', path: '/log', isComplete: `${has('[data-log-row]')} && ${has('.histogram rect')}` },
  {
    name: 'operator-log-of-tenant',
    path: async () => `${await tenantPath()}/log`,
    isComplete: `${has('[data-log-row]')} && ${has('.histogram rect')} && ${hasText('Acme')}`,
  },
  {
    name: 'operator-message',
    path: FEW_MESSAGE,
    isComplete: `${has('.step')} && ${has('.verdict')} && ${has('[data-log-row]')}`,
  },
  {
    name: 'operator-switch',
    path: async () => `${await tenantPath()}/overview`,
    isComplete: `${has('[role=option]')} && ${has('[data-drawn=true] .providers')}`,
    act: (page) => page.locator('[data-tenant-switch]').click(),
  },
  { name: 'operator-domain', path: '/domains/billing.acme.example', isComplete: has('.spf'), act: verify },
  { name: 'operator-sending', path: '/sending', isComplete: has('.sending-table tbody tr') },
  {
    name: 'operator-sending-address',
    path: '/sending?value=192.0.2.25',
    isComplete: `${has('.u-over')} && document.querySelectorAll('.sending-table').length === 2`,
  },
  { name: 'operator-sending-nothing', path: `/tenant/${NOBODY}/sending`, isComplete: hasText('Could not load') },
  { name: 'operator-audit', path: '/operator/audit', isComplete: has('.table tbody tr') },
  { name: 'operator-tenants', path: '/operator/tenants', isComplete: has('.table tbody tr') },
  { name: 'operator-keys', path: '/operator/keys', isComplete: has('.table tbody tr') },
  {
    name: 'operator-create-key',
    path: '/operator/keys',
    isComplete: has('.dialog form'),
    act: (page) => page.getByRole('button', { name: 'Create key' }).click(),
  },
  { name: 'operator-domains', path: '/domains', isComplete: has('.table tbody tr') },
  { name: 'operator-ingest', path: '/operator/ingest', isComplete: has('.tile') },
  {
    name: 'operator-quarantine',
    path: '/operator/quarantine',
    isComplete: has('.quarantined-record[open]'),
    act: (page) => page.locator('summary').first().click(),
  },
  {
    name: 'operator-delete-tenant',
    path: '/operator/tenants',
    isComplete: has('.dialog form'),
    async act(page) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
    },
  },
  { name: 'operator-removals', path: '/operator/removals', isComplete: has('.empty') },
  {
    name: 'operator-erase',
    path: '/operator/removals',
    isComplete: has('.dialog form'),
    act: (page) => page.getByRole('button', { name: 'Erase recipient' }).click(),
  },
  { name: 'operator-storage', path: '/operator/storage', isComplete: has('.table tbody tr') },
]

async function openViews(page: Page): Promise<void> {
  const headers = { authorization: demo.key, 'content-type': 'application/json' }
  for (const [name, query] of [
    ['Bounces of today', 'type=Bounce&last=24h'],
    ['Deliveries to a provider with a rather long name, and without the newsletter', 'type=Delivery&q=-newsletter'],
  ] as const) {
    const url = `${demo.address}/v1/views/${encodeURIComponent(name)}`
    const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ query }) })
    assert.equal(answer.status, 200)
  }
  await page.getByRole('button', { name: 'Views' }).click()
}

async function tenantPath(): Promise<string> {
  const answer = await fetch(`${demo.address}/v1/admin/tenants`, { headers: { authorization: demo.adminKey } })
  const { tenants } = (await answer.json()) as Tenants
  return `/tenant/${tenants[0]?.id}`
}

async function linkToMessage(): Promise<string> {
  const { events } = await demo.get<EventsPage>('/v1/events?type=Bounce&limit=1')
  const [event] = events
  assert(event)
  return `/log?type=Bounce&message=${event.id}&in=${event.domain_name}`
}

const WIDTHS = [1280, 1920, 360] as const

test('the sign-in page', async () => {
  await using visitor = await openVisitor(browser, demo.address)
  const { page } = visitor
  await page.goto(demo.address)
  await page.getByLabel('API key').waitFor()
  assert.deepEqual(await examinePage(page, { name: 'sign-in', widths: WIDTHS }), [])
})

test("a tenant's pages", async () => {
  await using visitor = await openVisitor(browser, demo.address, { key: demo.key })
  assert.deepEqual(await examineAll(visitor.page, TENANT_VIEWS), [])
})

test('findings and open menus', async () => {
  await using visitor = await openVisitor(browser, demo.address, { key: demo.key })
  assert.deepEqual(await examineAll(visitor.page, OPENED_VIEWS), [])
})

test("the operator's pages", async () => {
  await using visitor = await openVisitor(browser, demo.address, { key: demo.adminKey })
  assert.deepEqual(await examineAll(visitor.page, OPERATOR_VIEWS), [])
})

/** The findings of all views. */
async function examineAll(page: Page, views: readonly View[]): Promise<readonly string[]> {
  const findings: string[] = []
  await noteShifts(page)
  for (const { name, path, isComplete, act } of views) {
    await page.setViewportSize({ width: WIDTHS[0], height: 900 })
    await page.goto(`${demo.address}${typeof path === 'string' ? path : await path()}`)
    await until(page, has('.frame'))
    await act?.(page)
    await until(page, isComplete)
    const shift = await readShift(page)
    if (shift > SHIFT_MAX && !act) findings.push(`${name} shifts by ${shift}`)
    findings.push(...(await examinePage(page, { name, widths: WIDTHS })))
  }
  return findings
}
