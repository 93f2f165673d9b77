'use strict'

/**
 * Records on disk until Envelog has acknowledged them: files of lines that only grow, flushed to disk before a record
 * counts as kept. Every process writes files of its own into the shared folder; the files of a process that is gone are
 * taken over by whoever renames them first.
 *
 * What was sent is not written down. A file that was half sent when the process died is sent again from its start:
 * Envelog stores an event once however often it comes.
 */
const fs = require('node:fs/promises')
const path = require('node:path')
const { isAlive, ownerOfThisProcess } = require('./owner')

const FILE_NAME = /^(\d+-\d+)\.\d+\.ndjson$/
/** A file this large is finished; the next record begins another. */
const SEGMENT_BYTES = 1024 * 1024
/** A file whose records are all acknowledged is removed when it has this size or age, so that few are made. */
const WORN_BYTES = 64 * 1024
const WORN_MS = 60_000
/** How often the files of other processes are counted. */
const COUNT_EVERY_MS = 5000
/** How often the log repeats that records are dropped. */
const COMPLAIN_EVERY_MS = 60_000

class Spool {
  /** `log(level, text)`; levels are those of Haraka: notice, warn, error, crit. */
  constructor({ folder, bytesMax, log, onKept = () => {} }) {
    this.folder = folder
    this.bytesMax = bytesMax
    this.log = log
    this.onKept = onKept
    this.owner = ownerOfThisProcess()
    /** Oldest first; the last one may still be written to. */
    this.segments = []
    this.number = 0
    this.waiting = []
    this.isWriting = false
    this.otherBytes = 0
    this.countedAtMs = -Infinity
    this.dropped = 0
    this.complainedAtMs = -Infinity
  }

  async open() {
    await fs.mkdir(this.folder, { recursive: true, mode: 0o700 })
    await this.adopt()
  }

  /** Resolves to true when the records survive a power cut, to false when they could not be kept. Never rejects. */
  append(records) {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    return new Promise((resolve) => {
      this.waiting.push({ bytes: Buffer.from(lines), count: records.length, resolve })
      if (!this.isWriting) void this.writeAll()
    })
  }

  /** What came while the disk was busy is written and flushed together. */
  async writeAll() {
    this.isWriting = true
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0)
      const bytes = Buffer.concat(group.map((one) => one.bytes))
      const isKept = await this.write(bytes)
      if (isKept) this.onKept()
      else this.complain(group.reduce((sum, one) => sum + one.count, 0))
      for (const one of group) one.resolve(isKept)
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
      // Half a line may be in it: what follows goes into another file.
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
    this.problem = `its ${Math.round(this.bytesMax / 1024 / 1024)} MiB are full`
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

  complain(count) {
    this.dropped += count
    if (Date.now() - this.complainedAtMs < COMPLAIN_EVERY_MS) return
    this.complainedAtMs = Date.now()
    this.log(
      'crit',
      `events are lost: the spool ${this.folder} takes no more (${this.problem}); ${this.dropped} dropped so far. ` +
        'Mail goes on. See why Envelog does not take events, or give the spool more room.',
    )
  }

  async list() {
    return (await fs.readdir(this.folder)).filter((name) => FILE_NAME.test(name))
  }

  /** Takes over the files of processes that are gone, and of one of this number that was here before. */
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
        // Another process was faster.
        continue
      }
      const { size } = await fs.stat(mine)
      const segment = { name: mine, file: undefined, bytes: size, acknowledged: 0, openedAtMs: 0 }
      // Before the one that is written to.
      this.segments.splice(this.segments.at(-1)?.file ? -1 : this.segments.length, 0, segment)
    }
  }

  /** The next whole lines that were not acknowledged yet, up to about `bytesMax`; undefined when there are none. */
  async read(bytesMax) {
    for (;;) {
      const segment = this.segments.find(({ bytes, acknowledged }) => acknowledged < bytes)
      if (!segment) return undefined
      const lines = await this.readLines(segment, bytesMax)
      if (lines) return lines
      // A last line without its end: the power went while it was written, and it was never said to be kept.
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

  /** What is acknowledged to the end is removed. */
  async acknowledge({ segment, end }) {
    segment.acknowledged = end
    if (segment.acknowledged < segment.bytes || this.isWriting) return
    if (segment.file) {
      const isWorn = segment.bytes >= WORN_BYTES || Date.now() - segment.openedAtMs >= WORN_MS
      if (!isWorn) return
      await this.finish(segment)
    }
    this.segments = this.segments.filter((other) => other !== segment)
    await fs.rm(segment.name, { force: true })
  }

  /** Removes what was acknowledged while it could not be removed. */
  async tidy() {
    const done = this.segments.filter(({ acknowledged, bytes }) => acknowledged >= bytes)
    for (const segment of done) await this.acknowledge({ segment, end: segment.acknowledged })
  }
}

/** Makes a new file's name survive a power cut. Not every system lets a folder be opened. */
async function syncFolder(folder) {
  try {
    const handle = await fs.open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // Then the file system decides when.
  }
}

module.exports = { Spool }
