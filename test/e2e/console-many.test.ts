/** An operator with thousands of tenants and keys, in a real browser: lists, choices and dialogs stay quick and can be used by keyboard. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { createKey } from '../../src/tenants/create-key.ts'
import { keepPicture, openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { examinePage } from '../harness/programs/examine-page.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import { LAG_IN_LOADS_MAX, type Lag, openMeasure, requireNoLag } from '../harness/programs/measure-page.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { type ServerProcess, serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const TENANTS = 2000
const KEYS = 5000
const WIDTHS = [1280, 1920, 360] as const

let installation: Installation
let server: ServerProcess
let browser: Browser
let adminKey: string

before(async () => {
  installation = await openInstallation()
  await addMany()
  server = await installation.start()
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  installation?.[Symbol.dispose]()
})

const numbered = (index: number) => String(index).padStart(4, '0')
const tenantId = (index: number) => `01890000-0000-7000-8000-00000000${numbered(index)}`

/** Into the store: as requests they would take minutes. */
async function addMany(): Promise<void> {
  const { dataDir } = installation
  const storage = await openSqliteStorage({ dataDir, clock: Date.now, serviceMessageIdField: 'service_message_id' })
  const { keys } = storage.control
  adminKey = (await createKey({ keys, clock: Date.now }, 'operator', ['admin'])).key
  const startMs = Date.now() - 86_400_000
  for (let index = 0; index < TENANTS; index++) {
    const id = tenantId(index)
    await keys.createTenant({ id, clientId: id, name: `Tenant ${numbered(index)}`, createdAtMs: startMs })
  }
  for (let index = 0; index < KEYS; index++) {
    await keys.createKey({
      id: `many0000${numbered(index)}`,
      secretHash: new Uint8Array(32).fill(index % 256),
      tenantId: tenantId(index % TENANTS),
      scopes: ['logs'],
      createdAtMs: startMs + index,
      name: `key ${numbered(KEYS - 1 - index)}`,
    })
  }
  await storage.close()
}

const visit = (options: object = {}) => openVisitor(browser, server.address, { session: adminKey, ...options })
const rowsOf = (page: Page) => page.locator('.table tbody tr')

test('five thousand keys are searched, sorted and read page by page without lag', async (context) => {
  await using visitor = await visit()
  context.diagnostic(await requireNoLag(() => workWithKeys(visitor.page)))
})

async function workWithKeys(page: Page): Promise<Lag> {
  const showsAll = page.getByText(/^1 to 50 of 5.?00\d$/)
  await page.goto(`${server.address}/operator/keys`)
  await showsAll.waitFor()
  const measure = await openMeasure(page)
  const loaded = await measure(async () => {
    await page.reload()
    await showsAll.waitFor()
  })
  const order = page.getByLabel('Order')
  const sorted = await measure(async () => {
    await order.selectOption('By name')
    await rowsOf(page).first().getByText('key 0000').waitFor()
  })
  assert.match(page.url(), /sort=name/)
  const paged = await measure(async () => {
    await page.getByRole('button', { name: 'Next' }).click()
    await rowsOf(page).first().getByText('key 0050').waitFor()
  })
  await page.getByLabel('Search keys').focus()
  const letter = await measure(() => page.keyboard.press('k'))
  await page.keyboard.type('ey 123')
  await until(page, "document.querySelectorAll('.table tbody tr').length === 10")
  assert.match(page.url(), /search=key\+123&sort=name$/, 'another search begins at its first page, in the same order')
  const names = await page.locator('.table tbody .muted.foreign').allTextContents()
  assert.deepEqual(
    names,
    Array.from({ length: 10 }, (_, index) => `key ${1230 + index}`),
  )
  const times = `loading took ${loaded} ms, sorting ${sorted} ms, the next page ${paged} ms, a letter ${letter} ms`
  return { times, isLagging: Math.max(sorted, paged, letter) >= LAG_IN_LOADS_MAX * loaded }
}

const focusedText = (page: Page) => page.evaluate<string>("document.activeElement?.textContent ?? ''")
const ownerOf = (page: Page) => page.getByRole('button', { name: /^Owner / })

test('a tenant is chosen among thousands by keyboard, page by page or by a part of its name', async () => {
  await using visitor = await visit()
  const { page } = visitor
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/admin/tenants')) asked.push(new URL(request.url()).search)
  })
  await page.goto(`${server.address}/operator/keys`)
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.match(await focusedText(page), /^Operator/, 'the dialog begins at its first field')
  await page.keyboard.press('Enter')
  const option = (name: string) => page.getByRole('option', { name, exact: true })
  await option('Tenant 0000').waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focusedText(page), 'Show more', 'the list is used with the arrows and is no stop on the way')
  await page.keyboard.press('Shift+Tab')
  // The last one of a page is followed by the first one of the next.
  for (let presses = 0; presses < 52; presses++) await page.keyboard.press('ArrowDown')
  await option('Tenant 0060').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  const highlighted = page.locator('[role=option][data-highlighted]')
  const followed = (await highlighted.textContent()) ?? ''
  assert.match(followed, /^Tenant 00(49|5\d)$/, 'the highlight did not return to the beginning')
  await page.keyboard.type('1234')
  await until(page, "document.querySelectorAll('[role=option]').length === 1")
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Owner Tenant 1234', exact: true }).waitFor()
  assert.equal(
    await page.evaluate("document.activeElement?.textContent?.includes('Tenant 1234')"),
    true,
    'the focus returns to the field',
  )
  assert.equal(await page.getByLabel('logs', { exact: false }).isChecked(), true, 'scopes of a tenant are offered')
  assert.deepEqual(
    asked.filter((query) => !query.includes('take=')),
    [],
    'the list is never loaded as a whole',
  )
  // Escape closes the choice, and not the dialog around it.
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Search tenants' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search tenants' }).waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByTestId('new-key').waitFor()
  await page.keyboard.press('Escape')

  await page.goto(`${server.address}/domains`)
  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByLabel('Name').fill('many.example')
  await page.getByRole('button', { name: 'Tenant Choose a tenant' }).click()
  await page.keyboard.type('tenant 07')
  await option('Tenant 0742').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('row', { name: /many\.example.*Tenant 0742/ }).waitFor()
})

test('an operator of an empty installation is led from a tenant to a domain and keys', async () => {
  using folder = openTemporaryFolder()
  const dataDir = join(folder.path, 'data')
  const env = { ENVELOG_DATA_DIR: dataDir, ENVELOG_SPF_INCLUDE: 'spf.operator.test' }
  const created = await runCli(['--json', 'key', 'create', '--operator', '--scope', 'admin'], { cwd: folder.path, env })
  const { key } = JSON.parse(created.stdout) as { key: string }
  await using empty = await serveProcess({ dataDir, env })
  await using visitor = await openVisitor(browser, empty.address, { key })
  const { page } = visitor
  await page.waitForURL(`${empty.address}/operator/tenants`)
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('0 of 4 done').waitFor()
  assert.deepEqual(await examinePage(page, { name: 'first-steps', widths: WIDTHS }), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await steps.getByRole('button', { name: 'Create the first tenant' }).click()
  await page.keyboard.type('Acme')
  await page.keyboard.press('Enter')
  // The button that had the focus is gone; the next one has it.
  await until(page, "document.activeElement?.textContent === 'Add the first domain'")
  await page.keyboard.press('Enter')
  await page.keyboard.type('acme.example')
  // The only tenant is chosen already.
  await page.getByRole('button', { name: 'Tenant Acme', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await steps.getByText('2 of 4 done').waitFor()
  await steps.getByRole('link', { name: 'Show the DNS records of acme.example' }).click()
  await page.waitForURL(`${empty.address}/domains/acme.example`)
  // Whoever comes back finds the steps on the empty overview.
  await page.goto(empty.address)
  await page.waitForURL(`${empty.address}/overview`)
  await steps.getByText('2 of 4 done').waitFor()
  await keepPicture(page, 'first-steps-key')
  const createKey = async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByTestId('new-key').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
  }
  await steps.getByRole('button', { name: 'Create the ingest key' }).click()
  await page.getByRole('button', { name: 'Owner Operator', exact: true }).waitFor()
  await createKey()
  await steps.getByText('3 of 4 done').waitFor()
  await steps.getByRole('listitem').filter({ hasText: 'Create an ingest key: done' }).waitFor()
  await steps.getByRole('button', { name: 'Create the tenant’s key' }).click()
  await page.getByRole('button', { name: 'Owner Acme', exact: true }).waitFor()
  await createKey()
  await steps.getByText('4 of 4 done').waitFor()
  const guide = steps.getByRole('link', { name: 'How to connect a mail server' })
  const { status } = await fetch(new URL((await guide.getAttribute('href')) ?? '', empty.address))
  assert.equal(status, 200)
  await page.reload()
  await page.getByRole('region', { name: 'What changed' }).waitFor()
  assert.equal(await steps.count(), 0)
})

test('the dialogs and lists pass in both themes', async () => {
  await using visitor = await visit()
  const { page } = visitor
  const findings: string[] = []
  const examine = async (name: string) =>
    findings.push(...(await examinePage(page, { name: `many-${name}`, widths: WIDTHS })))
  await page.goto(`${server.address}/operator/keys?page=3`)
  await page.getByText(/^101 to 150 of/).waitFor()
  await examine('keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await ownerOf(page).click()
  await page.getByRole('option', { name: 'Tenant 0000' }).waitFor()
  await examine('choice')
  assert.deepEqual(findings, [])
})
