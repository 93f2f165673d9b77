/**
 * Cuts a zstd stream where its frames end. Node's decoder takes the rest of a chunk behind the end of a frame for the end
 * of everything and drops it without a word; given frames in chunks of their own it goes on. Files of several frames are
 * what `pzstd`, appending and concatenating make.
 */

/** RFC 8878 section 3.1.1 and, for frames that carry no data, 3.1.2. */
const FRAME_MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50

export function isZstd(head: Buffer): boolean {
  return head.length >= 4 && kindOfFrame(head.readUInt32LE(0)) !== undefined
}

export async function* cutAtFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const walker = new FrameWalker()
  for await (const chunk of chunks) {
    let start = 0
    for (const end of walker.frameEnds(chunk)) {
      yield chunk.subarray(start, end)
      start = end
    }
    if (start < chunk.length) yield chunk.subarray(start)
  }
}

function kindOfFrame(magic: number): 'data' | 'skippable' | undefined {
  if (magic === FRAME_MAGIC) return 'data'
  return (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC ? 'skippable' : undefined
}

/** What the next header bytes are, and how many there are of them. */
const HEADER_BYTES = { magic: 4, skippableSize: 4, descriptor: 1, block: 3 } as const
type Header = keyof typeof HEADER_BYTES

/** Walks from header to header without looking at what is between them. */
export class FrameWalker {
  #header: Header | 'lost' = 'magic'
  #gathered: number[] = []
  /** Bytes to pass over before the next header. */
  #skip = 0
  #hasChecksum = false

  /** Offsets in this chunk behind the last byte of a frame. */
  frameEnds(chunk: Buffer): readonly number[] {
    const ends: number[] = []
    let at = 0
    while (at < chunk.length && this.#header !== 'lost') {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, chunk.length - at)
        this.#skip -= passed
        at += passed
      } else {
        this.#gathered.push(chunk[at] ?? 0)
        at++
        if (this.#gathered.length === HEADER_BYTES[this.#header]) this.#read(this.#header)
      }
      if (this.#skip === 0 && this.#header === 'magic' && this.#gathered.length === 0) ends.push(at)
    }
    return ends
  }

  #read(header: Header): void {
    const [a = 0, b = 0, c = 0, d = 0] = this.#gathered
    const value = (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
    this.#gathered = []
    switch (header) {
      case 'magic': {
        const kind = kindOfFrame(value)
        // What is no frame is left for the decoder to refuse.
        this.#header = kind === 'data' ? 'descriptor' : kind === 'skippable' ? 'skippableSize' : 'lost'
        return
      }
      case 'skippableSize':
        this.#header = 'magic'
        this.#skip = value
        return
      case 'descriptor':
        this.#header = 'block'
        this.#hasChecksum = (value & 0x04) !== 0
        this.#skip = restOfHeader(value)
        return
      case 'block': {
        const isLast = (value & 1) === 1
        // RFC 8878 section 3.1.1.2: a block of repeated bytes (type 1) holds one, whatever its size says.
        const size = ((value >> 1) & 3) === 1 ? 1 : value >> 3
        this.#header = isLast ? 'magic' : 'block'
        this.#skip = size + (isLast && this.#hasChecksum ? 4 : 0)
      }
    }
  }
}

/** RFC 8878 section 3.1.1.1: window descriptor, dictionary id and content size, as the descriptor announces them. */
function restOfHeader(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0
  const dictionaryId = [0, 1, 2, 4][descriptor & 3] ?? 0
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  return (isSingleSegment ? 0 : 1) + dictionaryId + contentSize
}
