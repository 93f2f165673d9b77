import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DecodedPacket, decode, encode } from 'dns-packet'
import { createQuery, readReceived } from './query.ts'

const QUESTION = { name: 's1._domainkey.example.com', type: 'TXT', isRecursive: false } as const

describe('a query', () => {
  test('is parsed by another implementation as the same question, with EDNS for 1232 bytes', () => {
    const query = createQuery(QUESTION, true)
    const read = decode(query.bytes)
    assert.deepEqual([read.id, read.type, read.flag_rd], [query.id, 'query', false])
    assert.deepEqual(read.questions, [{ name: query.name, type: 'TXT', class: 'IN' }])
    const [opt] = read.additionals ?? []
    assert.ok(opt?.type === 'OPT' && opt.udpPayloadSize === 1232 && opt.ednsVersion === 0 && !opt.flag_do)
  })

  test('can ask for recursion, and can do without EDNS', () => {
    const read = decode(createQuery({ ...QUESTION, isRecursive: true }, false).bytes)
    assert.deepEqual([read.flag_rd, read.additionals], [true, []])
  })

  test('has exactly the bytes of its header, its question and its EDNS record', () => {
    const hex = (isRecursive: boolean, withEdns: boolean) => {
      const { bytes, id } = createQuery({ name: '1.2', type: 'MX', isRecursive }, withEdns)
      assert.equal(bytes.readUInt16BE(0), id)
      return bytes.toString('hex', 2)
    }
    const question = '0131' + '0132' + '00' + '000f' + '0001'
    assert.equal(hex(true, false), `0100${'0001'}${'0000'.repeat(3)}${question}`)
    assert.equal(hex(false, true), `0000${'0001'}${'0000'.repeat(2)}0001${question}00002904d0${'0000'.repeat(3)}`)
  })

  test('has an unpredictable id and letter case', () => {
    const queries = Array.from({ length: 200 }, () => createQuery(QUESTION, true))
    assert.ok(new Set(queries.map(({ id }) => id)).size > 150)
    assert.ok(new Set(queries.map(({ name }) => name)).size > 150)
    assert.ok(queries.every(({ name }) => name.toLowerCase() === QUESTION.name))
  })
})

describe('what comes back', () => {
  const query = createQuery(QUESTION, true)
  const response = (change: Partial<DecodedPacket> = {}) => {
    const questions = [{ name: query.name, type: 'TXT' as const }]
    return encode({ type: 'response', id: query.id, flags: 0, questions, ...change })
  }
  const kindOf = (bytes: Buffer) => readReceived(bytes, query).kind

  test('answers the query if id, name and type are those of the question', () => {
    const received = readReceived(response(), query)
    assert.ok(received.kind === 'message' && received.isSameCase)
  })

  test('with another id, name or type, or as a question itself, it is foreign', () => {
    assert.equal(kindOf(response({ id: query.id ^ 1 })), 'foreign')
    assert.equal(kindOf(response({ questions: [{ name: 'evil.example.com', type: 'TXT' }] })), 'foreign')
    assert.equal(kindOf(response({ questions: [{ name: query.name, type: 'A' }] })), 'foreign')
    assert.equal(kindOf(response({ type: 'query' })), 'foreign')
    assert.equal(kindOf(Buffer.alloc(0)), 'foreign')
    assert.equal(kindOf(query.bytes), 'foreign')
  })

  test('with the id of the query but otherwise malformed, it is unreadable', () => {
    assert.equal(kindOf(response().subarray(0, 20)), 'unreadable')
    assert.equal(kindOf(response().subarray(0, 2)), 'unreadable')
  })

  test('that announces more records than are read is oversize, even as a bare header', () => {
    const header = response().subarray(0, 12)
    header.writeUInt16BE(500, 8)
    assert.equal(kindOf(header), 'unreadable')
    for (const at of [6, 10]) {
      header.writeUInt16BE(1, at)
      assert.equal(kindOf(header), 'oversize')
      header.writeUInt16BE(0, at)
    }
    // Too short for a header, whatever its bytes are.
    assert.equal(kindOf(Buffer.concat([header.subarray(0, 2), Buffer.alloc(9, 0xff)])), 'unreadable')
  })

  test('of 32 KB is read, and one byte more is oversize', () => {
    const padded = (length: number) => Buffer.concat([response(), Buffer.alloc(length - response().length)])
    assert.equal(kindOf(padded(32_768)), 'message')
    assert.equal(kindOf(padded(32_769)), 'oversize')
  })

  test('in another letter case it is marked', () => {
    const other = query.name === query.name.toLowerCase() ? query.name.toUpperCase() : query.name.toLowerCase()
    const received = readReceived(response({ questions: [{ name: other, type: 'TXT' }] }), query)
    assert.ok(received.kind === 'message' && !received.isSameCase)
  })

  test('without the question it can report an error, but make no statement about the name', () => {
    for (const rcode of [1, 2, 4, 5]) assert.equal(kindOf(response({ questions: [], flags: rcode })), 'message')
    const refused = readReceived(response({ questions: [], flags: 5 }), query)
    assert.ok(refused.kind === 'message' && refused.isSameCase)
    for (const rcode of [0, 3]) assert.equal(kindOf(response({ questions: [], flags: rcode })), 'unreadable')
  })

  test('that we fail to read because of a bug is not taken for a mistake of the server', () => {
    const bytes = response()
    bytes.readUInt8 = () => {
      throw new TypeError('a bug')
    }
    assert.throws(() => readReceived(bytes, query), /a bug/)
  })
})
