/**
 * Makes the pictures of the README and of docs/ anew, with the data of the demo:
 *
 *     npx node scripts/make-screenshots.ts [FOLDER]
 *
 * Needs Debian's chromium-headless-shell, fonts-noto-color-emoji and fonts-noto-cjk: without the fonts, subjects in other scripts
 * and emoji would be boxes.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { EventsPage } from '../src/http/v1/log/events.wire.ts'
import type { Message } from '../src/http/v1/log/messages.wire.ts'
import { openBrowser, openVisitor, until } from '../test/harness/programs/browser.ts'
import { type DemoProcess, openDemo } from '../test/harness/programs/demo-process.ts'

const FONTS = [
  { family: 'Noto Color Emoji', package: 'fonts-noto-color-emoji' },
  { family: 'Noto Sans CJK JP', package: 'fonts-noto-cjk' },
] as const

interface Picture {
  readonly name: string
  readonly height: number
  readonly path: (demo: DemoProcess) => Promise<string> | string
  /** An expression that is true in the page once it is complete. */
  readonly isComplete: string
}

const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`

const PICTURES: readonly Picture[] = [
  { name: 'log', height: 860, path: linkToMessage, isComplete: `${has('.step')} && ${has('.histogram rect')}` },
  {
    name: 'overview',
    height: 1180,
    path: () => '/overview?last=15d&bucket=day',
    isComplete: `${has('[data-drawn=true] .providers')} && ${has('.u-over')} && ${has('.reason')} && ${has('a.figure')}`,
  },
  { name: 'domain', height: 900, path: () => '/domains/billing.acme.example', isComplete: has('.spf') },
]

/** A message that was deferred and then delivered, in the list of all events. */
async function linkToMessage(demo: DemoProcess): Promise<string> {
  const { events } = await demo.get<EventsPage>('/v1/events?type=TransientFailure&limit=200')
  for (const { id, domain_name: domain } of events) {
    const message = await demo.get<Message>(`/v1/messages/${id}?domain=${domain}`)
    if (message.outcome === 'delivered' && message.events.length > 3) return `/log?message=${id}&in=${domain}`
  }
  throw new Error('the demo has no message that was deferred and then delivered')
}

function requireFonts(): void {
  const installed = execFileSync('fc-list', [':', 'family']).toString()
  const missing = FONTS.filter(({ family }) => !installed.includes(family))
  if (missing.length === 0) return
  throw new Error(`Fonts are missing: apt-get install ${missing.map((font) => font.package).join(' ')}`)
}

async function take(page: Page, demo: DemoProcess, folder: string, picture: Picture): Promise<void> {
  await page.setViewportSize({ width: 1440, height: picture.height })
  await page.goto(`${demo.address}${await picture.path(demo)}`)
  await until(page, picture.isComplete)
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(folder, `${picture.name}.png`), animations: 'disabled' })
}

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/images')
requireFonts()
mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
try {
  await using demo = await openDemo()
  await using visitor = await openVisitor(browser, demo.address, { key: demo.key, colorScheme: 'light' })
  for (const picture of PICTURES) await take(visitor.page, demo, folder, picture)
} finally {
  await browser.close()
}
