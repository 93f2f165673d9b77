'use strict'

/** Posts what is in the spool to Envelog, batch after batch, and again until it is acknowledged. */
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')

const BATCH_BYTES = 512 * 1024
const ANSWER_TIMEOUT_MS = 60_000
const ANSWER_BYTES_MAX = 1024 * 1024
const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 60_000
/** Files of processes that ended meanwhile are looked for this often. */
const ADOPT_EVERY_MS = 10_000
const COMPLAIN_EVERY_MS = 60_000

class Sender {
  constructor({ spool, url, keyFile, log }) {
    this.spool = spool
    this.url = new URL('ingest/haraka', url.endsWith('/') ? url : `${url}/`)
    this.keyFile = keyFile
    this.log = log
    this.client = this.url.protocol === 'https:' ? https : http
    this.agent = new this.client.Agent({ keepAlive: true, maxSockets: 1 })
    this.isRunning = false
    this.failures = 0
    this.complainedAtMs = -Infinity
    this.hasNews = false
    this.wake = () => {}
  }

  start() {
    if (this.isRunning) return
    this.isRunning = true
    this.adopting = setInterval(() => void this.look(), ADOPT_EVERY_MS)
    // Waiting for work keeps no process alive.
    this.adopting.unref()
    void this.run()
  }

  stop() {
    this.isRunning = false
    clearInterval(this.adopting)
    this.agent.destroy()
    this.wake()
  }

  async look() {
    try {
      await this.spool.adopt()
      await this.spool.tidy()
      this.notify()
    } catch (error) {
      this.log('error', `the spool ${this.spool.folder} cannot be looked through: ${error.message}`)
    }
  }

  /** There is something new. While Envelog does not answer, the pause goes on. */
  notify() {
    this.hasNews = true
    if (this.failures === 0) this.wake()
  }

  async run() {
    while (this.isRunning) {
      try {
        this.hasNews = false
        const batch = await this.spool.read(BATCH_BYTES)
        if (!batch) {
          if (!this.hasNews) await this.pause()
          continue
        }
        this.report(await this.post(batch.lines))
        await this.spool.acknowledge(batch)
        if (this.failures > 0) this.log('notice', 'Envelog takes events again')
        this.failures = 0
      } catch (error) {
        await this.pauseAfter(error)
      }
    }
  }

  async pauseAfter(error) {
    if (!this.isRunning) return
    this.failures += 1
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(this.failures - 1, 20))
    if (Date.now() - this.complainedAtMs >= COMPLAIN_EVERY_MS) {
      this.complainedAtMs = Date.now()
      const waiting = Math.ceil(this.spool.ownBytes() / 1024)
      this.log('error', `Envelog took no events (${error.message}); ${waiting} KiB wait and are sent again`)
    }
    // Several workers do not come back at the same moment.
    await this.pause(pauseMs * (0.5 + Math.random() / 2))
  }

  pause(pauseMs) {
    return new Promise((resolve) => {
      this.wake = resolve
      if (pauseMs !== undefined) setTimeout(resolve, pauseMs).unref()
    })
  }

  post(lines) {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: fs.readFileSync(this.keyFile, 'utf8').trim(),
        'content-type': 'application/x-ndjson',
        'content-length': lines.length,
      }
      const request = this.client.request(this.url, { method: 'POST', headers, agent: this.agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          if (text.length < ANSWER_BYTES_MAX) text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0 } = response
          if (statusCode >= 200 && statusCode < 300) resolve(text)
          else reject(new Error(`it answered ${statusCode} ${text.slice(0, 200)}`))
        })
      })
      request.setTimeout(ANSWER_TIMEOUT_MS, () => request.destroy(new Error('it does not answer')))
      request.on('error', reject)
      request.end(lines)
    })
  }

  /** Envelog keeps what it cannot store, so that a rejected record is acknowledged like the others. */
  report(answer) {
    let rejected
    try {
      rejected = JSON.parse(answer).rejected
    } catch {
      throw new Error('its answer is not that of Envelog; is the url right?')
    }
    if (!Array.isArray(rejected)) throw new Error('its answer is not that of Envelog; is the url right?')
    if (rejected.length === 0) return
    this.log('warn', `Envelog rejected and keeps ${rejected.length} records; the first: ${rejected[0].error}`)
  }
}

module.exports = { Sender }
