/**
 * What one commit stored, in order of arrival: second of the day and domain of each event. Both are written as the
 * difference to the event before, in as few bytes as it takes (LEB128, zigzag): two or three bytes an event.
 */

export interface ArrivedEvent {
  readonly arrival: number
  readonly secondOfDay: number
  readonly domain: number
}

/** Collects what a transaction stores. */
export class ArrivalBatch {
  #bytes: number[] = []
  #second = 0
  #domain = 0

  get isEmpty(): boolean {
    return this.#bytes.length === 0
  }

  add(secondOfDay: number, domain: number): void {
    this.#write(secondOfDay - this.#second)
    this.#write(domain - this.#domain)
    this.#second = secondOfDay
    this.#domain = domain
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }

  #write(difference: number): void {
    let rest = difference < 0 ? -2 * difference - 1 : 2 * difference
    while (rest >= 0x80) {
      this.#bytes.push((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes.push(rest)
  }
}

/** `first`: the arrival number of the first event. */
export function* readArrivalBatch(first: number, bytes: Uint8Array): Generator<ArrivedEvent> {
  let at = 0
  const read = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }
  let secondOfDay = 0
  let domain = 0
  for (let arrival = first; at < bytes.length; arrival++) {
    secondOfDay += read()
    domain += read()
    yield { arrival, secondOfDay, domain }
  }
}
