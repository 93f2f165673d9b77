/** Every page of the console, dark and light: no violation that axe can find, nothing wider than the screen, a picture kept. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import type { EventsPage } from '../../src/http/v1/events.wire.ts'
import { keepPicture, openBrowser, openVisitor, until } from '../harness/browser.ts'
import { type DemoProcess, openDemo } from '../harness/demo-process.ts'

let demo: DemoProcess
let browser: Browser
before(async () => {
  ;[demo, browser] = await Promise.all([openDemo(), openBrowser()])
})
after(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

interface Sight {
  readonly name: string
  readonly path: string | (() => Promise<string>)
  /** True in the page once everything is there. */
  readonly isThere: string
  /** What a person does there before it is looked at. */
  readonly act?: (page: Page) => Promise<unknown>
}

const hasText = (text: string) => `document.body.textContent.includes(${JSON.stringify(text)})`
const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`
const verify = (page: Page) => page.getByRole('button', { name: 'Verify now' }).click()

const TENANT_SIGHTS: readonly Sight[] = [
  { name: 'overview', path: '/overview', isThere: `${has('.providers')} && ${has('.u-over')} && ${has('.reason')}` },
  { name: 'log', path: '/log', isThere: `${has('[data-log-row]')} && ${has('.histogram rect')}` },
  { name: 'log-filtered', path: '/log?type=Bounce&code=5xx&subject=order', isThere: has('.histogram rect') },
  { name: 'log-nothing', path: '/log?q=nobody-has-this', isThere: hasText('No event matches') },
  { name: 'message', path: linkToMessage, isThere: `${has('.step')} && ${has('[data-log-row]')}` },
  { name: 'message-missing', path: '/log?message=none', isThere: hasText('There is no such message') },
  {
    name: 'filter',
    path: '/log',
    isThere: has('.filter-choice'),
    act: (page) => page.getByRole('button', { name: 'Filter', exact: true }).click(),
  },
  { name: 'domains', path: '/domains', isThere: `${has('.domain-card')} && ${has('.spark')}` },
  { name: 'domain-wrong', path: '/domains/billing.acme.example', isThere: has('.spf'), act: verify },
  { name: 'domain-right', path: '/domains/shop.acme.example', isThere: has('.spf'), act: verify },
  { name: 'domain-missing', path: '/domains/nowhere.test', isThere: hasText('There is no domain') },
  { name: 'not-for-this-key', path: '/operator/keys', isThere: hasText('This page is not for the key') },
  { name: 'keyboard', path: '/domains', isThere: has('.keys-row'), act: (page) => page.keyboard.press('?') },
]

const OPERATOR_SIGHTS: readonly Sight[] = [
  { name: 'operator-tenants', path: '/operator/tenants', isThere: has('.table tbody tr') },
  { name: 'operator-keys', path: '/operator/keys', isThere: has('.table tbody tr') },
  {
    name: 'operator-create-key',
    path: '/operator/keys',
    isThere: has('.dialog form'),
    act: (page) => page.getByRole('button', { name: 'Create key' }).click(),
  },
  { name: 'operator-domains', path: '/operator/domains', isThere: has('.table tbody tr') },
  { name: 'operator-ingest', path: '/operator/ingest', isThere: has('.tile') },
  {
    name: 'operator-quarantine',
    path: '/operator/quarantine',
    isThere: has('.quarantined-record[open]'),
    act: (page) => page.locator('summary').first().click(),
  },
  { name: 'operator-storage', path: '/operator/storage', isThere: has('.table tbody tr') },
]

async function linkToMessage(): Promise<string> {
  const { events } = await demo.get<EventsPage>('/v1/events?type=Bounce&limit=1')
  const [event] = events
  assert(event)
  return `/log?type=Bounce&message=${event.id}&in=${event.domain_name}`
}

/** Wide first: it is where all parts of a page are on the screen. */
const WIDTHS = { light: [1440, 768, 360], dark: [1440, 360] } as const
type Theme = keyof typeof WIDTHS

for (const theme of ['light', 'dark'] as const) {
  describe(`in the ${theme} theme`, () => {
    test('the page to sign in', async () => {
      await using visitor = await openVisitor(browser, demo.address, { colorScheme: theme })
      const { page } = visitor
      await page.goto(demo.address)
      await page.getByLabel('API key').waitFor()
      assert.deepEqual(await examine(page, 'sign-in', theme), [])
    })

    test("a tenant's pages", async () => {
      await using visitor = await openVisitor(browser, demo.address, { colorScheme: theme, key: demo.key })
      assert.deepEqual(await lookAt(visitor.page, TENANT_SIGHTS, theme), [])
    })

    test("the operator's pages", async () => {
      await using visitor = await openVisitor(browser, demo.address, { colorScheme: theme, key: demo.adminKey })
      assert.deepEqual(await lookAt(visitor.page, OPERATOR_SIGHTS, theme), [])
    })
  })
}

/** What is wrong with them, all of them together. */
async function lookAt(page: Page, sights: readonly Sight[], theme: Theme): Promise<readonly string[]> {
  const findings: string[] = []
  for (const { name, path, isThere, act } of sights) {
    await page.setViewportSize({ width: WIDTHS[theme][0], height: 900 })
    await page.goto(`${demo.address}${typeof path === 'string' ? path : await path()}`)
    await until(page, has('.frame'))
    await act?.(page)
    await until(page, isThere)
    findings.push(...(await examine(page, name, theme)))
  }
  return findings
}

/** Colours do not depend on the width, nor does the order of things on the colours. */
const isExamined = (width: number, theme: Theme) => width === 1440 || (width === 360 && theme === 'light')

async function examine(page: Page, name: string, theme: Theme): Promise<readonly string[]> {
  const findings: string[] = []
  for (const width of WIDTHS[theme]) {
    const where = `${name} at ${width} px in the ${theme} theme`
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 })
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      findings.push(`${where} is too wide`)
    if (isExamined(width, theme))
      findings.push(...(await findViolations(page)).map((violation) => `${where}: ${violation}`))
    await keepPicture(page, `${name}-${width}-${theme}`)
  }
  return findings
}

/** In its older mode, which opens no second page to put results of frames together: there are no frames here. */
async function findViolations(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help} ${html.slice(0, 300)}`))
}
