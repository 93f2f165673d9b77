/** DNS messages whose length follows the length of a part. */
import type { ParserInput } from './growth.ts'

/** A DNS message with the part as its records; the header announces as many as can be. */
export const wireInput: ParserInput = {
  name: 'as records',
  build(part) {
    const head = Buffer.from('000184000000ffff00000000', 'hex')
    const record = Buffer.from('c00c00100001000000000000', 'hex')
    return Buffer.concat([head, Buffer.from('\x01a\x00'), record, Buffer.from(part, 'latin1')]).subarray(0, 65_535)
  },
}

/** Names that point to the same long name, with the bytes of the part as its labels; as many records as the part has room for. */
export const pointerInput: ParserInput = {
  name: 'as names',
  build(part) {
    const label = Buffer.concat([Buffer.of(49), Buffer.from(part.slice(0, 49).padEnd(49, 'a'), 'latin1')])
    const name = Buffer.concat([label, label, label, label, Buffer.of(0)])
    const record = Buffer.from('c00c00050001000000000002c00c', 'hex')
    const count = Math.min(Math.ceil(part.length / record.length), 4600)
    const head = Buffer.from('000184000001000000000000', 'hex')
    head.writeUInt16BE(count, 6)
    return Buffer.concat([head, name, Buffer.from('00010001', 'hex'), ...Array.from({ length: count }, () => record)])
  },
}

/** Each name is a label and a pointer to the name before it, until a name would be too long. */
export const chainInput: ParserInput = {
  name: 'as a chain of names',
  build(part) {
    const count = Math.min(Math.ceil(part.length / 18), 3600)
    const head = Buffer.from('000184000000000000000000', 'hex')
    head.writeUInt16BE(count, 6)
    const records = Array.from({ length: count }, (_, index) => {
      const at = head.length + 18 * (index - 1)
      const isStart = index % 100 === 0 || at > 0x3fff
      const end = isStart ? Buffer.from('016100', 'hex') : Buffer.from([1, 97, 0xc0 | (at >> 8), at & 255])
      const data = isStart ? '00010001000000000005' : '00010001000000000004'
      return Buffer.concat([end, Buffer.from(data, 'hex'), Buffer.alloc(isStart ? 5 : 4)])
    })
    return Buffer.concat([head, ...records])
  },
}
