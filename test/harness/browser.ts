/**
 * Debian's Chromium, driven by playwright-core, and people who sit in front of it.
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

/** A machine without a network, and root without a sandbox, make a browser fail in places that are not what is tested. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Machines that test have much to do. */
const PATIENCE_MS = 40_000

/** Pictures of every page, for people to look at after a run; not compared with anything. */
const PICTURES = join(import.meta.dirname, '../../test-results/console')

/** Ends with the process, however that ends. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = EXECUTABLES.find((path) => existsSync(path))
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install chromium-headless-shell')
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

export interface Visitor extends AsyncDisposable {
  readonly page: Page
  /** What went wrong in the page so far: exceptions, violations of its policy, anything written as an error. */
  readonly complaints: readonly string[]
}

export interface VisitorOptions extends BrowserContextOptions {
  /** Signs in with it, as a person does. */
  readonly key?: string
}

/** On disposal, complaints of the page fail the test. */
export async function openVisitor(browser: Browser, address: string, options: VisitorOptions = {}): Promise<Visitor> {
  const { key, ...contextOptions } = options
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Refusals are part of life, and shown in the page; the browser writes them down all the same.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
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
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' })
}

export function readClipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}

/**
 * Waits until an expression is true in the page, looking with each frame. (The driver's own way to wait for one evaluates
 * text as a script inside of the page, which the page's policy forbids.)
 */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await page.evaluate(expression))) {
    if (Date.now() > deadline) throw new Error(`it did not come true: ${expression}`)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}
