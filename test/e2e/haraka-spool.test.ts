/** The spool of the plugin for Haraka, without Haraka: every record that it has accepted arrives, whatever fails on the way. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const LIB = join(import.meta.dirname, '../../integrations/haraka/lib')
const require = createRequire(import.meta.url)

interface Spool {
  open(): Promise<void>
  append(records: readonly object[]): Promise<boolean>
}
interface Sender {
  start(): void
  stop(): void
  notify(): void
}
const { Spool: SpoolClass } = require(join(LIB, 'spool.js')) as { Spool: new (options: object) => Spool }
const { Sender: SenderClass } = require(join(LIB, 'sender.js')) as { Sender: new (options: object) => Sender }

/** Answers as configured, and stores the requests that it has answered with 200. */
class Receiver {
  readonly server: Server
  readonly records: number[] = []
  /** The status of the next answers, one per request; then 200. 0 closes the connection. */
  readonly answers: number[] = []
  requests = 0
  readonly receivedMs: number[] = []

  constructor() {
    this.server = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      request.on('end', () => {
        this.requests += 1
        this.receivedMs.push(performance.now())
        const status = this.answers.shift() ?? 200
        if (status === 0) return void request.socket.destroy()
        if (status === 200) for (const line of text.trim().split('\n')) this.records.push(JSON.parse(line).n as number)
        response
          .writeHead(status, status === 429 ? { 'retry-after': '1' } : {})
          .end('{"stored":0,"duplicates":0,"rejected":[]}')
      })
    }).listen(0, '127.0.0.1')
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async arrived(count: number): Promise<void> {
    await eventually(async () => {
      const known = new Set(this.records).size
      return known >= count ? undefined : `${known} of ${count} arrived`
    }, 20_000)
  }
}

const receiver = new Receiver()
const KEY = openTemporaryFolder()
const keyFile = join(KEY.path, 'key')
before(async () => {
  await once(receiver.server, 'listening')
  writeFileSync(keyFile, 'secret\n')
})
after(() => {
  receiver.server.closeAllConnections()
  receiver.server.close()
  KEY[Symbol.dispose]()
})

function openSpool(folder: string, options: object = {}) {
  const warnings: string[] = []
  const log = (level: string, text: string) => void warnings.push(`${level}: ${text}`)
  const spool = new SpoolClass({ folder, bytesMax: 1024 * 1024, log, onStored: () => sender.notify(), ...options })
  const sender = new SenderClass({ spool, url: receiver.url, keyFile, log })
  return { spool, sender, warnings, [Symbol.dispose]: () => sender.stop() }
}

function reset(): void {
  receiver.records.length = 0
  receiver.requests = 0
  receiver.receivedMs.length = 0
}

describe('the spool of the plugin for Haraka', { concurrency: false }, () => {
  test('retries until it is acknowledged: after refusals, closed connections and answers of other servers', async () => {
    reset()
    using folder = openTemporaryFolder()
    using one = openSpool(folder.path)
    await one.spool.open()
    receiver.answers.push(503, 0, 401, 302)
    one.sender.start()
    for (let n = 0; n < 100; n++) void one.spool.append([{ n }])
    await receiver.arrived(100)
    assert.ok(receiver.requests > 4)
    assert.match(one.warnings.join('\n'), /^error: Envelog did not accept events/)
    // It says so when it has read the answer, which is after the records arrived.
    await eventually(async () =>
      one.warnings.some((text) => text.startsWith('notice: Envelog accepts events again')) ? undefined : 'no notice',
    )
    // In order, each once, because no process was killed.
    assert.deepEqual(
      receiver.records,
      Array.from({ length: 100 }, (_, n) => n),
    )
  })

  test('waits as long as a rate limit asks for', async () => {
    reset()
    using folder = openTemporaryFolder()
    using one = openSpool(folder.path)
    await one.spool.open()
    receiver.answers.push(429)
    one.sender.start()
    await one.spool.append([{ n: 0 }])
    await receiver.arrived(1)
    const [first = 0, second = 0] = receiver.receivedMs
    // Without the header, the first pause is at most half a second.
    assert.ok(second - first >= 990, `sent again after ${second - first} ms`)
  })

  test('records of a killed process are sent by another; records of a running one are left to it', async () => {
    reset()
    using folder = openTemporaryFolder()
    const child = startWriter(folder.path)
    let kept = 0
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      kept += text.split('\n').length - 1
    })
    await eventually(async () => (kept > 50 ? undefined : 'the writer has not begun'))
    using one = openSpool(folder.path)
    await one.spool.open()
    one.sender.start()
    assert.equal(
      readdirSync(folder.path).every((name) => name.startsWith(`${child.pid}-`)),
      true,
    )
    child.kill('SIGKILL')
    await once(child, 'close')
    assert.equal(receiver.records.length, 0)
    using two = openSpool(folder.path)
    await two.spool.open()
    two.sender.start()
    await receiver.arrived(kept)
    await eventually(async () => (readdirSync(folder.path).length === 0 ? undefined : 'a file is left'))
  })

  test('a partial line at the end of a file was never acknowledged, and is ignored', async () => {
    reset()
    using folder = openTemporaryFolder()
    writeFileSync(join(folder.path, '999999999-1.000000001.ndjson'), '{"n":1}\n{"n":2}\n{"n":')
    appendFileSync(join(folder.path, 'something else'), 'is not ours')
    using one = openSpool(folder.path)
    await one.spool.open()
    one.sender.start()
    await receiver.arrived(2)
    await eventually(async () => (readdirSync(folder.path).length === 1 ? undefined : 'the file is left'))
    assert.deepEqual(receiver.records, [1, 2])
  })

  test('a full spool is reported, does not stop mail, and accepts records again once there is room', async () => {
    reset()
    using folder = openTemporaryFolder()
    using one = openSpool(folder.path, { bytesMax: 200 * 1024 })
    await one.spool.open()
    const kept: number[] = []
    const fill = 'x'.repeat(10_000)
    for (let n = 0; n < 40; n++) if (await one.spool.append([{ n, fill }])) kept.push(n)
    assert.ok(kept.length > 10 && kept.length < 21, `${kept.length} were accepted`)
    assert.equal(one.warnings.length, 1)
    assert.match(one.warnings[0] ?? '', /^crit: events are lost: cannot add to the spool /)
    one.sender.start()
    one.sender.notify()
    await receiver.arrived(kept.length)
    await eventually(async () => ((await one.spool.append([{ n: 1000 }])) ? undefined : 'it is still full'))
    await receiver.arrived(kept.length + 1)
  })
})

/** Appends until it is killed, and prints a line for each record that was accepted. */
function startWriter(folder: string): ChildProcess {
  const code = `
    const { Spool } = require(${JSON.stringify(join(LIB, 'spool.js'))})
    const spool = new Spool({ folder: ${JSON.stringify(folder)}, bytesMax: 1e9, log() {} })
    const run = async () => {
      await spool.open()
      for (let n = 0; ; n++) if (await spool.append([{ n }])) process.stdout.write('kept\\n')
    }
    run()`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => child.kill('SIGKILL'))
  return child
}
