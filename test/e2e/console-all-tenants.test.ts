/**
 * An operator looks at the mail of tenants: finds a disturbance in three clicks, by mouse and by keyboard, switches between tenants,
 * and always sees whose mail is shown. Thirty tenants, two of which have mail.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { keepPicture, openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { type DemoProcess, openDemo } from '../harness/programs/demo-process.ts'

const REPLY = '550 5.7.1 Our system has detected that this message is likely suspicious'
const SPIKE = { provider: 'Yahoo', code: '550', domains: ['globex.example', 'initech.example'] }
const OTHERS = 28

let demo: DemoProcess
let browser: Browser
const tenants = new Map<string, string>()

async function administer<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(`${demo.address}/v1/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: demo.adminKey },
    ...(body && { body: JSON.stringify(body) }),
  })
  assert(answer.ok, `${path} answered ${answer.status}`)
  return (await answer.json()) as T
}

before(async () => {
  ;[demo, browser] = await Promise.all([openDemo(), openBrowser()])
  for (const name of ['Globex', 'Initech']) {
    const { id } = await administer<{ id: string }>('tenants', { name })
    tenants.set(name, id)
    await administer('domains', { name: `${name.toLowerCase()}.example`, tenant: name, active: true })
  }
  for (let number = 0; number < OTHERS; number++) await administer('tenants', { name: `Customer ${number}` })
  const now = Math.floor(Date.now() / 1000)
  const events = Array.from({ length: 600 }, (_, index) => ({
    id: `spike-${index}`,
    timestamp: now - 30 - 5 * index,
    type: 'Bounce',
    domain_name: SPIKE.domains[index % 2],
    recipient: `person${index}@yahoo.example`,
    provider_name: SPIKE.provider,
    bounce_classification: 'SpamBlock',
    response_code: Number(SPIKE.code),
    response_content: REPLY,
    sending_address: '203.0.113.7',
    sending_pool: 'outlet',
  }))
  const { status } = await fetch(`${demo.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: demo.ingestKey },
    body: JSON.stringify(events),
  })
  assert.equal(status, 200)
})

after(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

const visit = (key = demo.adminKey) => openVisitor(browser, demo.address, { session: key })
const barOf = (page: Page) => page.getByRole('region', { name: 'Whose mail is shown' })
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Message' })
const finding = (page: Page) => page.locator('.finding-title').filter({ hasText: SPIKE.provider }).first()

/** Late findings wait behind a button. */
async function waitForFindings(page: Page): Promise<void> {
  await page.locator('.findings-list, .finding-news').first().waitFor()
  if ((await page.locator('.findings-list').count()) === 0) await page.locator('.finding-news').click()
  await finding(page).waitFor()
}

/** Everything that the operator wants to know about the spike is in the message and around it. */
async function assertAnswered(page: Page): Promise<void> {
  await page.waitForURL(/\/log\?.*provider=Yahoo.*message=spike-/)
  const panel = panelOf(page)
  await panel.getByRole('list', { name: /^Timeline/ }).waitFor()
  const text = (await panel.textContent()) ?? ''
  for (const part of [SPIKE.provider, SPIKE.code, REPLY, '203.0.113.7 outlet']) assert(text.includes(part), part)
  await until(page, `document.querySelector('.log-table')?.textContent.includes('${SPIKE.domains[0]}')`)
  await until(page, `document.querySelector('.log-table')?.textContent.includes('${SPIKE.domains[1]}')`)
}

describe('a spike of refusals across tenants', { concurrency: false }, () => {
  test('is found with three clicks: provider, code, text, sending address and domains', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.goto(`${demo.address}/operator/tenants`)
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await waitForFindings(page)
    const item = page.locator('.finding').filter({ has: finding(page) })
    const shown = (await item.textContent()) ?? ''
    for (const part of [SPIKE.provider, SPIKE.code, REPLY, ...SPIKE.domains, '203.0.113.7'])
      assert(shown.includes(part), `the finding shows ${part}: ${shown}`)
    await finding(page).click()
    await page.locator('[data-log-row]').first().click()
    await assertAnswered(page)
    // Whose message it is, and the same message among the tenant's own.
    await panelOf(page)
      .getByRole('link', { name: /^(Globex|Initech)$/ })
      .click()
    await page.waitForURL(/\/tenant\/[0-9a-f-]+\/log\?message=spike-/)
    await panelOf(page).getByText(REPLY).first().waitFor()
  })

  test('is found by keyboard alone', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.goto(`${demo.address}/operator/tenants`)
    await page.getByRole('heading', { name: 'Tenants' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await waitForFindings(page)
    await page.locator('#content').focus()
    for (let presses = 0; ; presses++) {
      assert(presses < 60, 'the finding is reached with the tab key')
      await page.keyboard.press('Tab')
      const isThere = await page.evaluate(
        `document.activeElement.matches('.finding-title') && document.activeElement.textContent.includes('Yahoo')`,
      )
      if (isThere) break
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/log\?/)
    await page.locator('[data-log-row]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await until(page, "document.activeElement.matches('[data-log-row]')")
    await page.keyboard.press('Enter')
    await assertAnswered(page)
  })
})

describe('whose mail is shown', { concurrency: false }, () => {
  test('is chosen by typing a part of the name, is in the address, and stays from page to page', async () => {
    await using visitor = await visit()
    const { page } = visitor
    const globex = tenants.get('Globex') ?? ''
    await page.goto(`${demo.address}/log?type=Bounce&domain=initech.example`)
    await barOf(page).getByText('all tenants').waitFor()
    await page.locator('[data-tenant-switch]').click()
    const search = page.getByRole('combobox', { name: 'Search tenants' })
    await search.fill('customer 2')
    await page.getByRole('option', { name: 'Customer 20' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Globex' }).count(), 0)
    await search.fill('LOBE')
    // Before the answer is there, nothing else can be chosen.
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Globex' }).or(page.getByText('Globex')).first().waitFor()
    if (await search.isVisible()) await page.keyboard.press('Enter')
    // The type stays, the other tenant's domain does not.
    await page.waitForURL(`${demo.address}/tenant/${globex}/log?type=Bounce`)
    await barOf(page).getByText('Globex').waitFor()
    await page.locator('[data-log-row]').first().waitFor()
    assert.equal((await page.locator('.log-table').textContent())?.includes('initech'), false)

    await page.getByRole('link', { name: 'Domains' }).first().click()
    await page.waitForURL(`${demo.address}/tenant/${globex}/domains`)
    await page.getByRole('row', { name: /globex\.example/ }).waitFor()
    assert.equal(await page.locator('.table tbody tr').count(), 1)
    await page.getByRole('link', { name: 'globex.example' }).click()
    await page.getByRole('link', { name: 'Open log' }).click()
    await page.waitForURL(`${demo.address}/tenant/${globex}/log?domain=globex.example`)
    await page.reload()
    await barOf(page).getByText('Globex').waitFor()
    await barOf(page).getByRole('link', { name: 'Show all tenants' }).click()
    await page.waitForURL(`${demo.address}/log`)
    await barOf(page).getByText('all tenants').waitFor()
  })

  test('is marked by a frame in another colour for one tenant, and not on pages of the installation', async () => {
    await using visitor = await visit()
    const { page } = visitor
    const borderOf = async (path: string) => {
      await page.goto(demo.address + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      return page.evaluate<string>(
        `(({ borderRightWidth, borderRightColor }) => borderRightWidth + ' ' + borderRightColor)(getComputedStyle(document.querySelector('#content')))`,
      )
    }
    const all = await borderOf('/domains')
    const one = await borderOf(`/tenant/${tenants.get('Globex')}/domains`)
    assert.match(all, /^3px/)
    assert.match(one, /^3px/)
    assert.notEqual(all, one)
    assert.match(await borderOf('/operator/tenants'), /^0px/)
    assert.equal(await barOf(page).count(), 0)
  })

  test("is never another tenant's: a domain or message of another one is not found, an unknown tenant says so", async () => {
    await using visitor = await visit()
    const { page } = visitor
    const globex = `${demo.address}/tenant/${tenants.get('Globex')}`
    await page.goto(`${globex}/domains/initech.example`)
    await page.getByText('Domain initech.example not found').waitFor()
    await page.goto(`${globex}/log?message=spike-1&in=initech.example`)
    await panelOf(page).getByText('Could not load the message').waitFor()
    await page.goto(`${globex}/log?message=spike-1`)
    await panelOf(page).getByText('Message not found').waitFor()
    await page.goto(`${globex}/log?domain=initech.example`)
    await page.getByText('Could not load the log').waitFor()
    await page.goto(`${demo.address}/tenant/${crypto.randomUUID()}/log`)
    await barOf(page).getByText('an unknown tenant').waitFor()
    await page.getByText('Could not load the log').waitFor()
  })

  test('events that arrive are shown live, of all tenants', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.goto(`${demo.address}/log?live=1&q=brandnew`)
    await page.locator('.live[data-state=open]').waitFor()
    for (const domain of SPIKE.domains)
      await fetch(`${demo.address}/ingest/events`, {
        method: 'POST',
        headers: { authorization: demo.ingestKey },
        body: JSON.stringify({
          id: `live-${domain}`,
          timestamp: Math.floor(Date.now() / 1000),
          type: 'Delivery',
          domain_name: domain,
          recipient: `brandnew@${domain}`,
        }),
      })
    for (const domain of SPIKE.domains)
      await page
        .locator('[data-log-row]')
        .filter({ hasText: `brandnew@${domain}` })
        .waitFor()
  })
})

describe('the domains of all tenants', { concurrency: false }, () => {
  test('lead to their records, diagnosis and tenant, and can be verified and deactivated there', async () => {
    await using visitor = await visit()
    const { page } = visitor
    await page.goto(`${demo.address}/operator/domains`)
    await page.waitForURL(`${demo.address}/domains`)
    await page.getByLabel('Search domains').fill('initech')
    await page.waitForURL(/search=initech/)
    await page.getByRole('row', { name: /globex\.example/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions for initech.example' }).click()
    await page.getByRole('menuitem', { name: 'Verify now' }).click()
    await page.getByRole('row', { name: /initech\.example.*just now/ }).waitFor()
    await page.getByRole('link', { name: 'initech.example' }).click()
    await page.getByRole('heading', { name: 'Records to publish' }).waitFor()
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('Checked just now.').waitFor()
    await page.getByRole('link', { name: 'Initech' }).waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByRole('button', { name: 'Deactivate' }).waitFor()
    await page.getByRole('link', { name: 'Initech' }).click()
    await page.waitForURL(`${demo.address}/tenant/${tenants.get('Initech')}/overview`)
  })

  test('cannot be changed with a key that only reads', async () => {
    const { key } = await administer<{ key: string }>('keys', { scopes: ['read'] })
    await using visitor = await visit(key)
    const { page } = visitor
    await page.goto(`${demo.address}/domains/globex.example`)
    await page.getByRole('heading', { name: 'Records to publish' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Verify now|Deactivate|Activate/ }).count(), 0)
    await page.getByRole('link', { name: 'Open log' }).click()
    await page.locator('[data-log-row]').first().waitFor()
  })
})

test('sending addresses and pools have their counts, by provider and over time, and lead to the log', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.goto(`${demo.address}/overview`)
  await page.getByRole('link', { name: 'Sending' }).first().click()
  await page.getByRole('row', { name: /^203\.0\.113\.7 0 .*600 100/ }).waitFor()
  await page.getByRole('link', { name: '203.0.113.7' }).click()
  await page.waitForURL(/\/sending\?value=203\.0\.113\.7/)
  const detail = page.getByRole('region', { name: 'In detail' })
  await detail.getByRole('row', { name: /^Yahoo 0 .*600 100/ }).waitFor()
  await detail.getByRole('link', { name: /^600/ }).click()
  await page.waitForURL(/\/log\?.*type=Bounce.*provider=Yahoo.*sending_address=203\.0\.113\.7/)
  await page.locator('[data-log-row]').first().waitFor()
  await page.goto(`${demo.address}/sending?by=pool`)
  await page.getByRole('row', { name: /^outlet 0 / }).waitFor()
  await page.goto(`${demo.address}/tenant/${tenants.get('Globex')}/sending`)
  await page.getByRole('row', { name: /^203\.0\.113\.7 0 .*300 100/ }).waitFor()
  assert.equal(await page.locator('.sending-table tbody tr').count(), 1)
})

test('lists of tenants and keys are searched and read page by page, and the audit log says whose mail was read', async () => {
  for (let number = OTHERS; number < 55; number++) await administer('tenants', { name: `Customer ${number}` })
  await using visitor = await visit()
  const { page } = visitor
  await page.goto(`${demo.address}/operator/tenants`)
  await page.getByText('1 to 50 of 58').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.waitForURL(/page=2/)
  await page.getByText('51 to 58 of 58').waitFor()
  await page.getByLabel('Search tenants').fill('initech')
  await page.waitForURL(`${demo.address}/operator/tenants?search=initech`)
  await until(page, "document.querySelectorAll('.table tbody tr').length === 1")
  await page.getByLabel('Search tenants').fill('nobody has this')
  await page.getByText('No matching tenants').waitFor()
  await page.goto(`${demo.address}/operator/keys?search=acme`)
  await until(page, "document.querySelectorAll('.table tbody tr').length === 1")
  await page.goto(`${demo.address}/tenant/${tenants.get('Initech')}/log`)
  await page.locator('[data-log-row]').first().waitFor()
  await page.goto(`${demo.address}/operator/audit?kind=reading`)
  await page.getByRole('row', { name: /searchAllEvents Initech/ }).waitFor()
})

test('a sending address that several providers refuse is one finding, which leads to its events', async () => {
  const { id } = await administer<{ id: string }>('tenants', { name: 'Umbrella' })
  await administer('domains', { name: 'umbrella.example', tenant: 'Umbrella', active: true })
  const now = Math.floor(Date.now() / 1000)
  const providers = ['Gmail', 'Outlook', 'Web.de', 'Yahoo']
  const eventOf = (index: number, address: string, fields: object) => ({
    id: `umbrella-${address}-${index}`,
    timestamp: now - 60 - 5 * index,
    domain_name: 'umbrella.example',
    recipient: `person${index}@example.org`,
    provider_name: providers[index % 4],
    sending_address: address,
    ...fields,
  })
  const refused = { type: 'Bounce', response_code: 554, response_content: REPLY, bounce_classification: 'SpamBlock' }
  const events = [
    ...Array.from({ length: 200 }, (_, index) => eventOf(index, '203.0.113.50', refused)),
    ...['203.0.113.51', '203.0.113.52'].flatMap((address) =>
      Array.from({ length: 200 }, (_, index) => eventOf(index, address, { type: 'Delivery' })),
    ),
  ]
  const { status } = await fetch(`${demo.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: demo.ingestKey },
    body: JSON.stringify(events),
  })
  assert.equal(status, 200)
  await using visitor = await visit()
  const { page } = visitor
  await page.goto(`${demo.address}/tenant/${id}/overview`)
  const title = page.locator('.finding-title')
  await page.locator('.findings-list, .finding-news').first().waitFor()
  if ((await title.count()) === 0) await page.locator('.finding-news').click()
  await title.first().waitFor()
  assert.equal(await title.count(), 1)
  assert.match((await title.textContent()) ?? '', /^203\.0\.113\.50: 200 bounces since .* at 4 providers$/)
  await keepPicture(page, 'finding-address')
  await title.click()
  await page.waitForURL(/\/log\?.*sending_address=203\.0\.113\.50/)
  await page.getByText('200 events').first().waitFor()
})
