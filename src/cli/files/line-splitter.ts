/** Splits bytes into lines as they arrive, and counts the bytes of the lines so far. */

/** Longer lines are truncated: no record and no log line is that long, and a binary file may have no line end at all. */
const LINE_BYTES_MAX = 2 * 1024 * 1024
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

export class LineSplitter {
  #held: Buffer[] = []
  #heldBytes = 0
  #taken = 0

  /** Bytes of the lines returned so far, including their ends. */
  get takenBytes(): number {
    return this.#taken
  }

  /** The lines that are complete now, without their ends. Empty lines are dropped. */
  push(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#complete(chunk.subarray(start, end)))
      this.#taken += end + 1 - start
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    return lines.filter((line) => line.length > 0)
  }

  /** The last line, if it has no end. */
  finish(): readonly Buffer[] {
    const line = this.#complete(Buffer.alloc(0))
    return line.length > 0 ? [line] : []
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    const rest = LINE_BYTES_MAX - this.#heldBytes
    if (rest > 0) this.#held.push(bytes.subarray(0, rest))
    this.#heldBytes += bytes.length
  }

  #complete(tail: Buffer): Buffer {
    this.#taken += this.#heldBytes
    const line = this.#held.length === 0 ? tail : Buffer.concat([...this.#held, tail])
    this.#held = []
    this.#heldBytes = 0
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length
    return line.subarray(0, Math.min(end, LINE_BYTES_MAX))
  }
}
