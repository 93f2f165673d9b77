/** The documentation in a browser: search by keyboard, no axe violation in either theme and at any width, nothing from other servers. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { examinePage } from '../harness/programs/examine-page.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

let installation: Installation
let server: ServerProcess
let browser: Browser
before(async () => {
  installation = await openInstallation()
  ;[server, browser] = await Promise.all([installation.start(), openBrowser()])
})
after(async () => {
  await browser?.close()
  await server?.stop()
  installation?.[Symbol.dispose]()
})

const PAGES = [
  ['guide', '/docs/guide'],
  ['guide-operator', '/docs/guide/start/operator'],
  ['guide-console', '/docs/guide/console'],
  ['guide-decision', '/docs/guide/decisions/0061-documentation-is-built-with-the-console'],
  ['reference', '/docs'],
  ['reference-logs', '/docs/reference/logs'],
] as const

test('pages are accessible and fit in both themes, and load everything from this server', async () => {
  await using visitor = await openVisitor(browser, server.address)
  const { page } = visitor
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.address}/`)) elsewhere.push(request.url())
  })
  const findings: string[] = []
  for (const [name, path] of PAGES) {
    const response = await page.goto(`${server.address}${path}`)
    assert.equal(response?.status(), 200, path)
    await until(page, `document.querySelector('#search input') !== null`)
    findings.push(...(await examinePage(page, { name, widths: [1280, 1920, 360] })))
  }
  assert.deepEqual(findings, [])
  assert.deepEqual(elsewhere, [])
})

test('the search is used by keyboard alone, and finds documents and endpoints', async () => {
  await using visitor = await openVisitor(browser, server.address)
  const { page } = visitor
  await page.goto(`${server.address}/docs/guide`)
  const input = page.getByRole('combobox', { name: 'Search the documentation' })
  await input.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('backup restore')
  const results = page.getByRole('option')
  await results.first().waitFor()
  assert.match((await results.first().textContent()) ?? '', /Backup and restore/)
  assert.deepEqual(await examinePage(page, { name: 'guide-search', widths: [1280, 360] }), [])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/guide/operations#backup-and-restore')
  await until(page, 'document.querySelector(".side [aria-current]")?.textContent === "Running Envelog"')

  await page.keyboard.press('/')
  await page.keyboard.type('get /v1/events/stream')
  await results.first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/reference/v1#get-v1-events-stream')

  await page.keyboard.press('/')
  await page.keyboard.type('nothingisnamedlikethis')
  await page.getByText('Nothing found.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Nothing found.').waitFor({ state: 'hidden' })
})

test('the navigation of a narrow screen opens over the page, and the theme is the one of the console', async () => {
  await using visitor = await openVisitor(browser, server.address, { viewport: { width: 360, height: 740 } })
  const { page } = visitor
  await page.goto(`${server.address}/docs/guide/install`)
  const link = page.getByRole('link', { name: 'For operators' })
  assert.equal(await link.isVisible(), false)
  await page.getByRole('button', { name: 'Contents' }).click()
  await link.waitFor()
  assert.deepEqual(await examinePage(page, { name: 'guide-contents', widths: [360] }), [])
  await link.click()
  await page.waitForURL('**/docs/guide/start/operator')
  const theme = page.getByRole('button', { name: /change the theme/ })
  await theme.click()
  await theme.click()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await page.goto(server.address)
  await page.getByLabel('API key').waitFor()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
})
