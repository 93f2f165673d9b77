'use strict'

/** Posts the records in the spool to Envelog in batches, and retries until they are acknowledged. */
const fs = require('node:fs')
const http = require('node:http')
const https = require('node:https')

const BATCH_BYTES = 512 * 1024
const RESPONSE_TIMEOUT_MS = 60_000
const RESPONSE_BYTES_MAX = 1024 * 1024
const FIRST_PAUSE_MS = 500
const PAUSE_MS_MAX = 60_000
/** Interval for taking over the files of processes that have ended. */
const ADOPT_EVERY_MS = 10_000
const WARN_EVERY_MS = 60_000

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
    this.warnedAtMs = -Infinity
    this.hasNews = false
    this.wake = () => {}
  }

  start() {
    if (this.isRunning) return
    this.isRunning = true
    this.adopting = setInterval(() => void this.adopt(), ADOPT_EVERY_MS)
    // Must not keep the process alive.
    this.adopting.unref()
    void this.run()
  }

  stop() {
    this.isRunning = false
    clearInterval(this.adopting)
    this.agent.destroy()
    this.wake()
  }

  async adopt() {
    try {
      await this.spool.adopt()
      await this.spool.removeAcknowledged()
      this.notify()
    } catch (error) {
      this.log('error', `cannot read the spool ${this.spool.folder}: ${error.message}`)
    }
  }

  /** New records are there. During an outage the pause is not cut short. */
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
        if (this.failures > 0) this.log('notice', 'Envelog accepts events again')
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
    if (Date.now() - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = Date.now()
      const waiting = Math.ceil(this.spool.ownBytes() / 1024)
      this.log(
        'error',
        `Envelog did not accept events (${error.message}); ${waiting} KiB are waiting and will be retried`,
      )
    }
    // Jitter: workers should not retry at the same moment.
    const jitteredMs = pauseMs * (0.5 + Math.random() / 2)
    await this.pause(Math.max(jitteredMs, Math.min(error.retryAfterMs ?? 0, PAUSE_MS_MAX)))
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
          if (text.length < RESPONSE_BYTES_MAX) text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0 } = response
          if (statusCode >= 200 && statusCode < 300) resolve(text)
          else reject(refusal(response, text))
        })
      })
      request.setTimeout(RESPONSE_TIMEOUT_MS, () => request.destroy(new Error('no response')))
      request.on('error', reject)
      request.end(lines)
    })
  }

  /** Envelog quarantines records that it rejects, so they are acknowledged like the others. */
  report(response) {
    let rejected
    try {
      rejected = JSON.parse(response).rejected
    } catch {
      throw new Error('the response is not from Envelog; check url')
    }
    if (!Array.isArray(rejected)) throw new Error('the response is not from Envelog; check url')
    if (rejected.length === 0) return
    this.log('warn', `Envelog quarantined ${rejected.length} records; the first: ${rejected[0].error}`)
  }
}

/** With the time that the server asks to wait, if it does. */
function refusal({ statusCode = 0, headers }, text) {
  const error = new Error(`response ${statusCode} ${text.slice(0, 200)}`)
  const seconds = Number(headers['retry-after'])
  return Object.assign(error, seconds > 0 ? { retryAfterMs: seconds * 1000 } : {})
}

module.exports = { Sender }
