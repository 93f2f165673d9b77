/**
 * The operator's pages on a bad day, in both themes: days that are set aside, retention that doubts the clock, removals with
 * receipts, a quota that is used up, an expired key. Needs faketime, from Debian's packages.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic } from '../harness/log/traffic.ts'
import { openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { examinePage } from '../harness/programs/examine-page.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { FILE_DAMAGES } from '../harness/storage/damage.ts'

const DAY = 86_400
/** Noon of yesterday, so that no batch crosses a midnight. */
const NOON = (Math.floor(Date.now() / 1000 / DAY) - 1) * DAY + DAY / 2
const BAD_DAY = new Date((NOON - 2 * DAY) * 1000).toISOString().slice(0, 10)
const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
/** The server starts 100 days after the newest event. */
const WRONG_CLOCK = {
  LD_PRELOAD: library,
  FAKETIME: '+100d',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
}

let installation: Installation
let server: ServerProcess
let browser: Browser
let adminKey: string
let expiredId: string

async function command<T>(...args: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await installation.cli('--json', ...args)
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout) as T
}

before(async () => {
  installation = await openInstallation()
  adminKey = (await command<{ key: string }>('key', 'create', '--operator', '--scope', 'admin')).key
  server = await installation.start()
  const client = new LogClient(server.address, installation)
  const batch = createTraffic({ domains: installation.domains, now: NOON }).nextBatch(300, [0, 1, 2])
  await client.ingest(batch)
  await command('tenant', 'create', 'Globex')
  await command('domain', 'add', 'globex.test', '--tenant', 'Globex')
  await command('tenant', 'change', 'acme', '--max-domains', '2', '--max-events-per-day', '1000')
  await command('domain', 'remove', 'globex.test', '--yes')
  await command('erase', batch[0]?.recipient ?? '', '--yes')
  const short = await command<{ key: string }>('key', 'create', '--tenant', 'acme', '--expires', '1s')
  expiredId = short.key.split('_')[1] ?? ''
  while ((await fetch(`${server.address}/v1/session`, { headers: { authorization: short.key } })).status !== 401)
    await setTimeout(100)
  assert.equal(await server.stop(), 0)
  FILE_DAMAGES['the header overwritten']?.(join(installation.dataDir, 'events', `${BAD_DAY}.db`))
  server = await installation.start(WRONG_CLOCK)
  browser = await openBrowser()
})

after(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  installation?.[Symbol.dispose]()
})

interface View {
  readonly name: string
  readonly path: string
  /** Texts that the page shows once it is complete. */
  readonly shows: readonly string[]
  readonly act?: (page: Page) => Promise<unknown>
}

const openActions = (page: Page) => page.getByRole('button', { name: 'Actions for acme' }).click()

const VIEWS: readonly View[] = [
  {
    name: 'bad-storage',
    path: '/operator/storage',
    shows: ['100 days ahead', 'Days that are set aside', BAD_DAY],
  },
  { name: 'bad-removals', path: '/operator/removals', shows: ['globex.test', 'recipient', 'Finished'] },
  {
    name: 'bad-receipt',
    path: '/operator/removals',
    shows: ['Copy receipt'],
    act: (page) =>
      page
        .getByRole('button', { name: /^Receipt of/ })
        .first()
        .click(),
  },
  {
    name: 'bad-erase',
    path: '/operator/removals',
    shows: ['Type the address again to confirm'],
    act: (page) => page.getByRole('button', { name: 'Erase recipient' }).click(),
  },
  { name: 'bad-tenants', path: '/operator/tenants', shows: ['2 of 2', 'no quota'] },
  {
    name: 'bad-delete-tenant',
    path: '/operator/tenants',
    shows: ['Type acme to confirm'],
    async act(page) {
      await openActions(page)
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
    },
  },
  {
    name: 'bad-retention',
    path: '/operator/tenants',
    shows: ['Retention in days'],
    async act(page) {
      await openActions(page)
      await page.getByRole('menuitem', { name: 'Change retention…' }).click()
    },
  },
  {
    name: 'bad-remove-domain',
    path: '/domains',
    shows: ['Type acme.test to confirm'],
    async act(page) {
      await page.getByRole('button', { name: 'Actions for acme.test' }).click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
    },
  },
  { name: 'bad-keys', path: '/operator/keys', shows: ['expired'] },
]

const WIDTHS = [1280, 360]

describe("the operator's pages on a bad day", { concurrency: false }, () => {
  test('are readable in both themes, wide and narrow', async () => {
    await using visitor = await openVisitor(browser, server.address, { session: adminKey })
    const findings: string[] = []
    for (const view of VIEWS) findings.push(...(await examine(visitor.page, view)))
    assert.deepEqual(findings, [])
  })

  test('an expired key cannot be revoked, and a valid one can', async () => {
    await using visitor = await openVisitor(browser, server.address, { session: adminKey })
    const { page } = visitor
    await page.goto(`${server.address}/operator/keys`)
    const row = page.getByRole('row', { name: new RegExp(expiredId) })
    await row.getByText('expired').waitFor()
    assert.equal(await row.getByRole('button').count(), 0)
    assert.equal(await page.getByRole('button', { name: `Revoke key ${adminKey.split('_')[1]}` }).count(), 1)
  })

  test('a tenant sees its quotas in the account menu, and that of events on the overview', async () => {
    await using visitor = await openVisitor(browser, server.address, { session: installation.tenantKey })
    const { page } = visitor
    await page.goto(`${server.address}/overview`)
    await page.getByText(/^Events today: \d+ of 1\s000/).waitFor()
    await page.getByRole('button', { name: /Account: / }).click()
    await page.getByRole('menuitem', { name: /Domains\s*2 of 2/ }).waitFor()
    await page.getByRole('menuitem', { name: /Events today\s*\d+ of 1\s000/ }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: /^Keys \d/ }).count(), 0)
  })
})

async function examine(page: Page, { name, path, shows, act }: View): Promise<readonly string[]> {
  await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 900 })
  await page.goto(`${server.address}${path}`)
  await until(page, "document.querySelector('.table tbody tr') !== null")
  await act?.(page)
  for (const text of shows) await until(page, `document.body.textContent.includes(${JSON.stringify(text)})`)
  return examinePage(page, { name, widths: WIDTHS })
}
