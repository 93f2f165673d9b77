/**
 * Debian's Chromium, driven by playwright-core, and visitors who use it.
 *
 *     const browser = await openBrowser()
 *     await using visitor = await openVisitor(browser, address, { key })
 *     await visitor.page.goto(`${address}/log`)
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Flags for a machine without a network, and for root, who has no sandbox: without them the browser itself fails. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Generous, because test machines are busy. */
const PATIENCE_MS = 40_000
const LOOK_MS = 2000
const LOOK_EVERY_MS = 20

/** Screenshots of every page, to look at after a run of a single file; they are not compared. */
const PICTURES = join(import.meta.dirname, '../../../test-results/console')
/** Set in a run of all files, where they would take minutes and nobody looks at them. */
const NO_PICTURES = 'ENVELOG_TEST_NO_PICTURES'

/** Closed when the process ends, in whatever way. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = EXECUTABLES.find((path) => existsSync(path))
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium-headless-shell')
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

export interface Visitor extends AsyncDisposable {
  readonly page: Page
  /** Problems in the page so far, unless a test removes those that it has caused: exceptions, violations of its content security policy, console errors. */
  readonly complaints: string[]
}

export interface VisitorOptions extends BrowserContextOptions {
  /** Signs in with it, as a person does, and sees the first page. */
  readonly key?: string
  /** Is signed in with it and has opened no page yet: for tests that begin at an address, the sign-in and the first page are half of the work. */
  readonly session?: string
}

/** On disposal, problems in the page fail the test. */
export async function openVisitor(browser: Browser, address: string, options: VisitorOptions = {}): Promise<Visitor> {
  const { key, session, ...contextOptions } = options
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Refused requests are expected and shown in the page, but the browser logs them as errors.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  if (session !== undefined) {
    const answer = await context.request.post(`${address}/v1/session`, { data: { key: session } })
    assert.equal(answer.status(), 200)
  }
  if (key !== undefined) {
    await page.goto(address)
    await signIn(page, key)
  }
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close()
      assert.deepEqual(complaints, [])
    },
  }
}

/** By keyboard alone: the field has the focus. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').waitFor()
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await page.getByRole('main').waitFor()
  await page.getByLabel('API key').waitFor({ state: 'detached' })
}

export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env[NO_PICTURES] !== undefined) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' })
}

export function readClipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

/**
 * Waits until an expression is true in the page, which looks by itself: asking from here, for every frame, would keep both busy. (The
 * driver's own function for this evaluates text as a script in the page, which the page's content security policy forbids.)
 */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await page.evaluate(lookingFor(expression)).catch(ifLeft))) {
    if (Date.now() > deadline) throw new Error(`it did not come true: ${expression}`)
  }
}

/** False after a while, so that the wait has an end. */
function lookingFor(expression: string): string {
  return `(async () => {
    for (const end = performance.now() + ${LOOK_MS}; performance.now() < end; ) {
      if (${expression}) return true
      await new Promise((resolve) => setTimeout(resolve, ${LOOK_EVERY_MS}))
    }
    return false
  })()`
}

/** The next page may be the one that is waited for. */
function ifLeft(error: Error): false {
  if (/context was destroyed/.test(error.message)) return false
  throw error
}

/** Scrolls the log until its last event is loaded. */
export async function scrollToEnd(page: Page): Promise<void> {
  await until(
    page,
    `(() => {
    const rows = document.querySelector('.log-rows')
    rows.scrollTop = rows.scrollHeight
    return rows.textContent.includes('end of list')
  })()`,
  )
}
