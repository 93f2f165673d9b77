/** A hundred thousand events as one file: in constant memory, at the reader's pace, without delaying others. */
import assert from 'node:assert/strict'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const EVENTS = 100_000
const now = Math.floor(Date.now() / 1000)
const MEBIBYTE = 1024 * 1024
const LINE_END = 10
/** Allowed memory for two exports, each of which is larger. */
const GROWTH_MAX_BYTES = 80 * MEBIBYTE
/** Makes the garbage collector run often, so that the remaining memory is what the process really holds. */
const SMALL_HEAP = '--max-old-space-size=64 --max-semi-space-size=4'
const WORDS = 'the server said a lot about the message and then accepted it after all, '.repeat(15)

let installation: Installation
let server: ServerProcess

before(async () => {
  installation = await openInstallation()
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'events.ndjson')
  await pipeline(Readable.from(lines()), createWriteStream(file))
  const { exitCode, stderr } = await installation.cli('import', file)
  assert.equal(exitCode, 0, stderr)
  server = await installation.start({ NODE_OPTIONS: SMALL_HEAP })
})
after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

function* lines(): Generator<string> {
  for (let index = 0; index < EVENTS; index++) {
    const event = {
      id: `m${index}`,
      timestamp: now - 60 - (index % 200_000),
      type: index % 10 === 0 ? 'Bounce' : 'Delivery',
      domain_name: installation.domains[index % 2],
      recipient: `person${index}@example.net`,
      response_content: `${index} ${WORDS}`,
    }
    yield `${JSON.stringify(event)}\n`
  }
}

/** The memory that the process holds. */
function residentBytes(): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

function get(path: string): Promise<Response> {
  return fetch(`${server.address}${path}`, { headers: { authorization: installation.tenantKey } })
}

interface Export {
  readonly bytes: number
  readonly lines: number
  /** Other requests that were answered meanwhile. */
  readonly answered: number
  readonly largestBytes: number
}

/** Reads slowly, and sends other requests meanwhile. */
async function readExport(format: string): Promise<Export> {
  const response = await get(`/v1/events?format=${format}`)
  assert.equal(response.status, 200)
  let [bytes, lines, answered, largestBytes] = [0, 0, 0, 0]
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++
    if (bytes < answered * 4 * MEBIBYTE) continue
    const page = await get('/v1/events?limit=10&type=Bounce')
    assert.equal(((await page.json()) as { events: unknown[] }).events.length, 10)
    answered++
    largestBytes = Math.max(largestBytes, residentBytes())
  }
  return { bytes, lines, answered, largestBytes }
}

test('an export contains every event, in constant memory, while other requests are answered', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = residentBytes()
  for (const format of ['ndjson', 'csv']) {
    const { bytes, lines, answered, largestBytes } = await readExport(format)
    assert.equal(lines, format === 'csv' ? EVENTS + 1 : EVENTS)
    assert(bytes > 100 * MEBIBYTE)
    assert(answered > 20)
    const growth = largestBytes - before
    assert(growth < GROWTH_MAX_BYTES, `${format}: it grew by ${Math.round(growth / MEBIBYTE)} MiB`)
  }
})
