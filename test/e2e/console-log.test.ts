/** The log in a real browser, on the demo's data: columns, density, saved views and responses. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Facets } from '../../src/http/v1/log/facets.wire.ts'
import type { Views } from '../../src/http/v1/views/views.wire.ts'
import { openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { type DemoProcess, openDemo } from '../harness/programs/demo-process.ts'
import { noteShifts, readShift, SHIFT_MAX } from '../harness/programs/examine-page.ts'

const DAY_MS = 86_400_000

let demo: DemoProcess
let browser: Browser
before(async () => {
  ;[demo, browser] = await Promise.all([openDemo(), openBrowser()])
})
after(async () => {
  await browser?.close()
  await demo?.[Symbol.asyncDispose]()
})

const visit = (width = 1440) =>
  openVisitor(browser, demo.address, { session: demo.key, viewport: { width, height: 900 } })
const firstRow = (page: Page) => page.locator('[data-log-row]').first()
const titles = (page: Page) => page.getByRole('columnheader').allTextContents()
const rowPx = (page: Page) => page.evaluate<number>("document.querySelector('.log-row').offsetHeight")
const openMenu = (page: Page) => page.getByRole('button', { name: 'Columns and density' }).click()
const choice = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name })

test('columns are chosen by mouse, kept in the browser, and part of the address for whoever opens the link', async () => {
  await using visitor = await visit(1920)
  const { page } = visitor
  await page.goto(`${demo.address}/log`)
  await firstRow(page).waitFor()
  assert.deepEqual(await titles(page), ['Time', 'Event', 'Code', 'Recipient', 'Subject', 'Response', 'Provider'])
  await openMenu(page)
  await choice(page, 'Domain').click()
  await choice(page, 'Subject').click()
  await page.getByRole('menuitemradio', { name: 'Compact' }).click()
  await page.keyboard.press('Escape')
  const chosen = ['Time', 'Event', 'Code', 'Recipient', 'Domain', 'Response', 'Provider']
  assert.deepEqual(await titles(page), chosen)
  await page
    .getByRole('cell', { name: /\.acme\.example$/ })
    .first()
    .waitFor()
  const link = page.url()
  assert.match(link, /\/log\?columns=[^&]+&density=compact$/)

  await page.goto(`${demo.address}/log?type=Bounce`)
  await firstRow(page).waitFor()
  assert.deepEqual([await titles(page), await rowPx(page)], [chosen, 28])
  await page.waitForURL(/type=Bounce&columns=[^&]+&density=compact$/)

  await using other = await visit(1920)
  await other.page.goto(link)
  await firstRow(other.page).waitFor()
  assert.deepEqual([await titles(other.page), await rowPx(other.page)], [chosen, 28])
  await other.page.goto(`${demo.address}/log`)
  await firstRow(other.page).waitFor()
  assert.equal(await rowPx(other.page), 36, 'a link does not change what its reader has chosen')
})

test('columns are chosen by keyboard; one without room is shown by choosing it', async () => {
  await using visitor = await visit(1280)
  const { page } = visitor
  await page.goto(`${demo.address}/log`)
  await firstRow(page).waitFor()
  assert(!(await titles(page)).includes('Response'))
  await page.keyboard.press('c')
  await until(page, "document.activeElement.textContent === 'Code'")
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown')
  await until(page, "document.activeElement.textContent === 'Responseno room'")
  assert.equal(await page.locator(':focus').getAttribute('aria-checked'), 'false')
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.getAttribute('aria-checked') === 'true'")
  assert((await titles(page)).includes('Response'))
  await page.keyboard.press('End')
  await page.keyboard.press('Space')
  await until(page, "document.querySelector('.log-row').offsetHeight === 28")
  await page.keyboard.press('Escape')
  await until(page, "document.activeElement.matches('[data-look-menu]')")
})

test('a kept choice that is damaged, foreign or of a newer version does not disturb the page', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.goto(demo.address)
  const set = (text: string) => page.evaluate(`localStorage.setItem('envelog.log-look', ${JSON.stringify(text)})`)
  for (const text of ['{"columns":["dom', '17', 'null', '[]', '{"columns":{"domain":1},"density":["compact"]}']) {
    await set(text)
    await page.goto(`${demo.address}/log`)
    await firstRow(page).waitFor()
    assert.deepEqual([(await titles(page)).length, await rowPx(page)], [6, 36], text)
  }
  await set('{"version":9,"columns":["weather","domain"],"density":"compact","order":"oldest"}')
  await page.goto(`${demo.address}/log`)
  await firstRow(page).waitFor()
  assert.deepEqual(await titles(page), ['Time', 'Event', 'Recipient', 'Domain'])
})

test('on a narrow screen each chosen text has a line, and rows stay in their places', async () => {
  await using visitor = await visit(360)
  const { page } = visitor
  await noteShifts(page)
  await page.goto(`${demo.address}/log?type=Bounce&columns=code,domain,subject,response`)
  await firstRow(page).waitFor()
  const overlaps = await page.evaluate<number>(`(() => {
    const boxes = [...document.querySelectorAll('.log-row')].map((row) => row.getBoundingClientRect())
    return boxes.filter(({ top }, index) => index > 0 && top < boxes[index - 1].bottom - 1).length
  })()`)
  assert.equal(overlaps, 0)
  const outside = await page.evaluate<number>(`(() => {
    const row = document.querySelector('.log-row').getBoundingClientRect()
    return [...document.querySelectorAll('.log-row:first-child > *')].filter((cell) => {
      const { top, bottom, left, right } = cell.getBoundingClientRect()
      return top < row.top || bottom > row.bottom || left < row.left || right > row.right
    }).length
  })()`)
  assert.equal(outside, 0)
  assert((await readShift(page)) <= SHIFT_MAX)
})

test('another density keeps the first row on the screen, and draws only the rows on it', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.goto(`${demo.address}/log?last=all`)
  await firstRow(page).waitFor()
  const top = `(() => {
    const rows = document.querySelector('.log-rows')
    return document.elementFromPoint(rows.getBoundingClientRect().left + 40, rows.getBoundingClientRect().top + 10)
      ?.closest('.log-row')?.getAttribute('data-index')
  })()`
  // Until that many rows are loaded.
  await until(page, `(document.querySelector('.log-rows').scrollTop = 36 * 400, ${top} === '400')`)
  await openMenu(page)
  await page.getByRole('menuitemradio', { name: 'Compact' }).click()
  await page.keyboard.press('Escape')
  await until(page, `${top} === '400'`)
  assert(await page.evaluate("document.querySelectorAll('.log-row').length < 60"))
})

const openViews = (page: Page) => page.getByRole('button', { name: 'Views' }).click()
const viewNames = async () => (await demo.get<Views>('/v1/views')).views.map(({ name }) => name)
const manage = async (page: Page) => {
  await openViews(page)
  await page.getByRole('menuitem', { name: 'Rename, copy link, delete…' }).click()
}

async function saveShown(page: Page, name: string, action = 'Save view'): Promise<void> {
  await openViews(page)
  await page.getByRole('menuitem', { name: 'Save as view…' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('button', { name: action }).click()
  await until(page, "document.querySelector('dialog') === null")
}

test('a search is saved as a view, opened in another browser, replaced, renamed and deleted', async () => {
  await using visitor = await visit()
  const { page } = visitor
  const name = 'Bounces / today – \u00c4'
  const search = 'type=Bounce&last=24h&columns=domain%2Ccode&density=compact'
  await page.goto(`${demo.address}/log?${search}`)
  await firstRow(page).waitFor()
  await saveShown(page, name)
  await until(page, "document.activeElement.matches('[data-views-menu]')")
  assert.deepEqual(
    (await demo.get<Views>('/v1/views')).views.map((view) => [view.name, view.query]),
    [[name, search]],
  )

  await using other = await visit()
  await other.page.goto(`${demo.address}/log`)
  await firstRow(other.page).waitFor()
  await openViews(other.page)
  await other.page.getByRole('menuitem', { name, exact: true }).click()
  await other.page.waitForURL(`${demo.address}/log?${search}`)
  await until(other.page, "document.querySelector('.log-row').offsetHeight === 28")
  await openViews(other.page)
  await other.page.getByRole('menuitem', { name: `${name} shown` }).waitFor()

  await page.goto(`${demo.address}/log?type=Delivery`)
  await firstRow(page).waitFor()
  await saveShown(page, name.normalize('NFD'), 'Replace view')
  assert.deepEqual(
    (await demo.get<Views>('/v1/views')).views.map((view) => [view.name, view.query]),
    [[name, 'type=Delivery']],
  )

  await saveShown(page, 'Second')
  await manage(page)
  await page.getByRole('button', { name: `Rename ${name}` }).click()
  await page.getByLabel('New name').fill('Second')
  await page.getByText('Another view has this name.').waitFor()
  assert(await page.getByRole('button', { name: 'Rename', exact: true }).isDisabled())
  await page.getByLabel('New name').fill('Deliveries')
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.getAttribute('data-view') === 'Deliveries'")
  assert.deepEqual(await viewNames(), ['Deliveries', 'Second'])
  await page.getByRole('button', { name: 'Delete Deliveries' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await until(page, "document.activeElement.getAttribute('data-view') === 'Second'")
  await page.getByRole('status').filter({ hasText: 'Deleted Deliveries' }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Delete Second' }).click()
  await page.keyboard.press('Enter')
  await page.getByText('No views yet').waitFor()
  assert.deepEqual(await viewNames(), [])
})

test('the link of a view contains its search, and views are used by keyboard alone', async () => {
  await using visitor = await visit()
  const { page } = visitor
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${demo.address}/log?type=Bounce&last=7d`)
  await firstRow(page).waitFor()
  await page.keyboard.press('v')
  await until(page, "document.activeElement.textContent === 'Save as view…'")
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.matches('dialog input')")
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await until(page, "document.activeElement.matches('[data-views-menu]')")
  await manage(page)
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Copied').first().waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${demo.address}/log?type=Bounce&last=7d`)
  await page.keyboard.press('Escape')
  await page.goto(`${demo.address}/log`)
  await firstRow(page).waitFor()
  await page.keyboard.press('v')
  await page.getByRole('menuitem', { name: 'By keyboard' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${demo.address}/log?type=Bounce&last=7d`)
  await manage(page)
  await page.getByRole('button', { name: 'Replace By keyboard' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await until(page, "document.activeElement.getAttribute('data-view') === 'By keyboard'")
  await page.getByRole('button', { name: 'Rename By keyboard' }).click()
  await until(page, "document.activeElement.matches('dialog input')")
  await page.keyboard.press('Escape')
  await until(page, "document.querySelector('dialog') === null")
})

test('responses are counted without their variable parts; a click shows or leaves out events with the same one', async () => {
  await using visitor = await visit(1920)
  const { page } = visitor
  // Days that are over: bounces that arrive meanwhile would change the counts.
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const [from, to] = [today - 3 * DAY_MS, today].map((ms) => new Date(ms).toISOString())
  const window = `type=Bounce&from=${from}&to=${to}`
  await page.goto(`${demo.address}/log?${window}&columns=response`)
  await firstRow(page).waitFor()
  const responses = page.getByRole('list', { name: 'Response' })
  const first = responses.getByRole('listitem').first()
  await first.waitFor()
  const { facets } = await demo.get<Facets>(`/v1/events/facets?${window}`)
  const { value = '', count = 0 } = facets.find(({ name }) => name === 'reply')?.values[0] ?? {}
  assert.match(value, /\*/)
  await first.getByRole('button', { name: 'Leave out' }).click()
  await page.waitForURL((url) => url.searchParams.get('not_reply') === value)
  await page.getByRole('button', { name: `Remove filter not response ${value}` }).click()
  await page.waitForURL((url) => !url.searchParams.has('not_reply'))
  await first.getByRole('button').first().click()
  await page.waitForURL((url) => url.searchParams.get('reply') === value)
  await until(page, `document.querySelector('.facets-total span').textContent.replaceAll(/\\D/g, '') === '${count}'`)
  assert.equal(await responses.getByRole('listitem').count(), 1)

  await firstRow(page).click()
  await page.getByRole('button', { name: 'Events with this response' }).last().click()
  await page.getByRole('menuitem', { name: 'Leave out this response' }).click()
  await page.waitForURL((url) => url.searchParams.get('not_reply') === value && !url.searchParams.has('reply'))
})
