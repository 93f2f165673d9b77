/**
 * What the address of a pixel or a link carries: which message, which recipient, and where a link leads, signed. Nothing has
 * to be looked up, and no address leads anywhere that was not signed.
 *
 * Layout, before base64url: one byte for version and kind; four bytes of Unix time; domain, message id, recipient and, of a
 * click, the target, each as a length (LEB128) and UTF-8; then the first 12 bytes of HMAC-SHA-256 over all of that.
 * docs/tracking.md has it for those who make tokens elsewhere.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export type HitKind = 'open' | 'click'

export interface TokenFields {
  readonly kind: HitKind
  /** When the message was given its tokens, Unix seconds. */
  readonly time: number
  readonly domain: string
  readonly messageId: string
  readonly recipient: string
  /** Of clicks alone: an absolute http or https address. */
  readonly target?: string
}

export interface Tokens {
  sign(fields: TokenFields): string
  /** Undefined for what was not signed with this key for this kind of hit. */
  open(kind: HitKind, token: string): TokenFields | undefined
}

/** Version 1 in the upper half of the first byte. */
const FIRST_BYTE: Readonly<Record<HitKind, number>> = { open: 0x11, click: 0x12 }
/** 96 bits: whoever guesses has to ask this server each time. */
const SIGNATURE_BYTES = 12
const HEAD_BYTES = 5
/** Beyond what any server or mail program takes as an address. */
const TOKEN_LENGTH_MAX = 12_000

export function createTokens(key: Uint8Array): Tokens {
  const signatureOf = (body: Uint8Array) => createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES)
  return {
    sign(fields) {
      const body = encode(fields)
      return Buffer.concat([body, signatureOf(body)]).toString('base64url')
    },
    open(kind, token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined
      const bytes = Buffer.from(token, 'base64url')
      // One token has one spelling.
      if (bytes.toString('base64url') !== token) return undefined
      if (bytes.length < HEAD_BYTES + SIGNATURE_BYTES || bytes[0] !== FIRST_BYTE[kind]) return undefined
      const body = bytes.subarray(0, -SIGNATURE_BYTES)
      if (!timingSafeEqual(signatureOf(body), bytes.subarray(-SIGNATURE_BYTES))) return undefined
      return decode(kind, body)
    },
  }
}

function encode({ kind, time, domain, messageId, recipient, target }: TokenFields): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = FIRST_BYTE[kind]
  head.writeUInt32BE(time, 1)
  const texts = kind === 'click' ? [domain, messageId, recipient, target ?? ''] : [domain, messageId, recipient]
  return Buffer.concat([head, ...texts.flatMap(encodeText)])
}

function encodeText(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text)
  const length: number[] = []
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest)
      return [Buffer.from(length), bytes]
    }
    length.push((rest & 0x7f) | 0x80)
  }
}

function decode(kind: HitKind, body: Buffer): TokenFields | undefined {
  const texts: string[] = []
  for (let at = HEAD_BYTES; at < body.length; ) {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = body[at++]
      if (byte === undefined || shift > 21) return undefined
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if (at + length > body.length) return undefined
    texts.push(body.toString('utf8', at, at + length))
    at += length
  }
  const [domain, messageId, recipient, target] = texts
  if (domain === undefined || messageId === undefined || recipient === undefined) return undefined
  const fields = { kind, time: body.readUInt32BE(1), domain, messageId, recipient }
  if (kind === 'open') return texts.length === 3 ? fields : undefined
  // Signed or not: no address of another scheme, and nothing that could end a header line.
  return target !== undefined && texts.length === 4 && isTarget(target) ? { ...fields, target } : undefined
}

const TARGET = /^https?:\/\/[\x21-\x7e]+$/i

/** An absolute address of the web, in printable ASCII. */
export function isTarget(target: string): boolean {
  return TARGET.test(target)
}
