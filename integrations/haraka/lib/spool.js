'use strict'

/**
 * Keeps records on disk until Envelog has acknowledged them, in append-only files of lines that are flushed before a record
 * counts as stored. Every process writes its own files in the shared folder; the files of a process that has ended are taken
 * over by the first process that renames them.
 *
 * Progress is not persisted: a file that was partly sent when the process died is sent again from its start. Envelog stores
 * repeated events once.
 */
const fs = require('node:fs/promises')
const path = require('node:path')
const { isAlive, ownerOfThisProcess } = require('./owner')

const FILE_NAME = /^(\d+-\d+)\.\d+\.ndjson$/
/** The next record after this size starts another file. */
const SEGMENT_BYTES = 1024 * 1024
/** Minimum size or age for removing the current file once all its records are acknowledged, so that few files are created. */
const REMOVE_BYTES = 64 * 1024
const REMOVE_MS = 60_000
/** Interval for measuring the files of other processes. */
const COUNT_EVERY_MS = 5000
/** Minimum interval between log lines about dropped records. */
const WARN_EVERY_MS = 60_000

class Spool {
  /** `log(level, text)`; levels are those of Haraka: notice, warn, error, crit. */
  constructor({ folder, bytesMax, log, onStored = () => {} }) {
    this.folder = folder
    this.bytesMax = bytesMax
    this.log = log
    this.onStored = onStored
    this.owner = ownerOfThisProcess()
    /** Oldest first; the last one may still be written to. */
    this.segments = []
    this.number = 0
    this.waiting = []
    this.isWriting = false
    this.otherBytes = 0
    this.countedAtMs = -Infinity
    this.dropped = 0
    this.warnedAtMs = -Infinity
  }

  async open() {
    await fs.mkdir(this.folder, { recursive: true, mode: 0o700 })
    await this.adopt()
  }

  /** Resolves to true when the records are durable, to false if they could not be stored. Never rejects. */
  append(records) {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    return new Promise((resolve) => {
      this.waiting.push({ bytes: Buffer.from(lines), count: records.length, resolve })
      if (!this.isWriting) void this.writeAll()
    })
  }

  /** Records that arrive while the disk is busy are written and flushed together. */
  async writeAll() {
    this.isWriting = true
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0)
      const bytes = Buffer.concat(group.map((one) => one.bytes))
      const isStored = await this.write(bytes)
      if (isStored) this.onStored()
      else this.warn(group.reduce((sum, one) => sum + one.count, 0))
      for (const one of group) one.resolve(isStored)
    }
    this.isWriting = false
  }

  async write(bytes) {
    if (!(await this.hasRoom(bytes.length))) return false
    try {
      const segment = await this.segmentToWrite()
      await segment.file.appendFile(bytes)
      await segment.file.datasync()
      segment.bytes += bytes.length
      if (segment.bytes >= SEGMENT_BYTES) await this.finish(segment)
      return true
    } catch (error) {
      this.problem = error.message
      const segment = this.segments.at(-1)
      // The file may end in a partial line: start another.
      if (segment?.file) await this.finish(segment).catch(() => {})
      return false
    }
  }

  async segmentToWrite() {
    const last = this.segments.at(-1)
    if (last?.file) return last
    const name = this.nextName()
    const file = await fs.open(name, 'ax', 0o600)
    const segment = { name, file, bytes: 0, acknowledged: 0, openedAtMs: Date.now() }
    this.segments.push(segment)
    await syncFolder(this.folder)
    return segment
  }

  async finish(segment) {
    const { file } = segment
    segment.file = undefined
    await file.close()
  }

  nextName() {
    this.number += 1
    return path.join(this.folder, `${this.owner}.${String(this.number).padStart(9, '0')}.ndjson`)
  }

  async hasRoom(bytes) {
    if (Date.now() - this.countedAtMs > COUNT_EVERY_MS) {
      this.countedAtMs = Date.now()
      this.otherBytes = await this.countOthers().catch(() => this.otherBytes)
    }
    if (this.otherBytes + this.ownBytes() + bytes <= this.bytesMax) return true
    this.problem = `the limit of ${Math.round(this.bytesMax / 1024 / 1024)} MiB is reached`
    return false
  }

  ownBytes() {
    return this.segments.reduce((sum, segment) => sum + segment.bytes, 0)
  }

  async countOthers() {
    let bytes = 0
    for (const name of await this.list()) {
      if (name.startsWith(`${this.owner}.`)) continue
      bytes += await fs.stat(path.join(this.folder, name)).then(
        ({ size }) => size,
        () => 0,
      )
    }
    return bytes
  }

  warn(count) {
    this.dropped += count
    if (Date.now() - this.warnedAtMs < WARN_EVERY_MS) return
    this.warnedAtMs = Date.now()
    this.log(
      'crit',
      `events are lost: cannot add to the spool ${this.folder} (${this.problem}); ${this.dropped} dropped so far. ` +
        'Mail is not affected. Check why Envelog does not accept events, or increase spool_megabytes.',
    )
  }

  async list() {
    return (await fs.readdir(this.folder)).filter((name) => FILE_NAME.test(name))
  }

  /** Takes over the files of processes that have ended, and of an earlier process with the same owner name. */
  async adopt() {
    const own = new Set(this.segments.map(({ name }) => name))
    for (const name of (await this.list()).sort()) {
      const found = path.join(this.folder, name)
      const [, owner] = FILE_NAME.exec(name)
      if (own.has(found) || (owner !== this.owner && isAlive(owner))) continue
      const mine = this.nextName()
      try {
        await fs.rename(found, mine)
      } catch {
        // Another process renamed it first.
        continue
      }
      const { size } = await fs.stat(mine)
      const segment = { name: mine, file: undefined, bytes: size, acknowledged: 0, openedAtMs: 0 }
      // Before the current file.
      this.segments.splice(this.segments.at(-1)?.file ? -1 : this.segments.length, 0, segment)
    }
  }

  /** The next complete lines that are not acknowledged yet, about `bytesMax` at most; undefined if there are none. */
  async read(bytesMax) {
    for (;;) {
      const segment = this.segments.find(({ bytes, acknowledged }) => acknowledged < bytes)
      if (!segment) return undefined
      const lines = await this.readLines(segment, bytesMax)
      if (lines) return lines
      // A partial last line, from a power cut: it was never reported as stored.
      await this.acknowledge({ segment, end: segment.bytes })
    }
  }

  async readLines(segment, bytesMax) {
    const start = segment.acknowledged
    const file = await fs.open(segment.name, 'r')
    try {
      for (let length = bytesMax; ; length *= 2) {
        const wanted = Math.min(length, segment.bytes - start)
        const buffer = Buffer.alloc(wanted)
        const { bytesRead } = await file.read(buffer, 0, wanted, start)
        const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1
        if (end > 0) return { segment, end: start + end, lines: buffer.subarray(0, end) }
        if (wanted >= segment.bytes - start) return undefined
      }
    } finally {
      await file.close()
    }
  }

  /** Removes the file if all of it is acknowledged. */
  async acknowledge({ segment, end }) {
    segment.acknowledged = end
    if (segment.acknowledged < segment.bytes || this.isWriting) return
    if (segment.file) {
      const isRemovable = segment.bytes >= REMOVE_BYTES || Date.now() - segment.openedAtMs >= REMOVE_MS
      if (!isRemovable) return
      await this.finish(segment)
    }
    this.segments = this.segments.filter((other) => other !== segment)
    await fs.rm(segment.name, { force: true })
  }

  /** Removes files that were acknowledged while they could not be removed. */
  async removeAcknowledged() {
    const done = this.segments.filter(({ acknowledged, bytes }) => acknowledged >= bytes)
    for (const segment of done) await this.acknowledge({ segment, end: segment.acknowledged })
  }
}

/** Makes the name of a new file durable. Not every system can open a folder. */
async function syncFolder(folder) {
  try {
    const handle = await fs.open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // The file system decides when.
  }
}

module.exports = { Spool }
