/**
 * Signed tokens in the addresses of pixels and links: message, recipient and, for a link, its target. Opening one needs no
 * lookup, and a link can lead only to an address that was signed.
 *
 * Layout, before base64url: one byte for version and kind; four bytes of Unix time; domain, message id, recipient and, for a
 * click, the target, each as a length (LEB128) and UTF-8; then the first 12 bytes of HMAC-SHA-256 over all of that.
 * docs/tracking.md describes it for other implementations.
 *
 * @typedef {'open' | 'click'} HitKind
 *
 * @typedef {object} TokenFields
 * @property {HitKind} kind
 * @property {number} time When the message was rewritten, Unix seconds.
 * @property {string} domain
 * @property {string} messageId
 * @property {string} recipient
 * @property {string} [target] Only for clicks: an absolute http or https address.
 *
 * @typedef {object} Tokens
 * @property {(fields: Readonly<TokenFields>) => string} sign
 * @property {(kind: HitKind, token: string) => TokenFields | undefined} open
 *   Undefined unless the token was signed with this key for this kind of hit.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The upper half of the first byte is the version, 1. */
const FIRST_BYTE = { open: 0x11, click: 0x12 }
/** 96 bits are enough: every guess is a request to the server. */
const SIGNATURE_BYTES = 12
const HEAD_BYTES = 5
/** Longer than any URL that servers and mail clients accept. */
const TOKEN_LENGTH_MAX = 12_000
const TARGET = /^https?:\/\/[\x21-\x7e]+$/i

/** @type {(key: Uint8Array) => Tokens} */
export function createTokens(key) {
  /** @param {Uint8Array} body */
  const signatureOf = (body) => createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES)
  return {
    sign(fields) {
      const body = encode(fields)
      return Buffer.concat([body, signatureOf(body)]).toString('base64url')
    },
    open(kind, token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined
      const bytes = Buffer.from(token, 'base64url')
      // Decoding is lenient; accept only the canonical spelling of a token.
      if (bytes.toString('base64url') !== token) return undefined
      if (bytes.length < HEAD_BYTES + SIGNATURE_BYTES || bytes[0] !== FIRST_BYTE[kind]) return undefined
      const body = bytes.subarray(0, -SIGNATURE_BYTES)
      if (!timingSafeEqual(signatureOf(body), bytes.subarray(-SIGNATURE_BYTES))) return undefined
      return decode(kind, body)
    },
  }
}

/**
 * An absolute web address in printable ASCII.
 *
 * @type {(target: string) => boolean}
 */
export function isTarget(target) {
  return TARGET.test(target)
}

/** @type {(fields: Readonly<TokenFields>) => Buffer} */
function encode({ kind, time, domain, messageId, recipient, target }) {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = FIRST_BYTE[kind]
  head.writeUInt32BE(time, 1)
  const texts = kind === 'click' ? [domain, messageId, recipient, target ?? ''] : [domain, messageId, recipient]
  return Buffer.concat([head, ...texts.flatMap(encodeText)])
}

/** @type {(text: string) => readonly Buffer[]} */
function encodeText(text) {
  const bytes = Buffer.from(text)
  const length = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  return [Buffer.from([...length, rest]), bytes]
}

/** @type {(kind: HitKind, body: Buffer) => TokenFields | undefined} */
function decode(kind, body) {
  const texts = []
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
  // Checked although it is signed: no other scheme, and nothing that could end a header line.
  return target !== undefined && texts.length === 4 && isTarget(target) ? { ...fields, target } : undefined
}
