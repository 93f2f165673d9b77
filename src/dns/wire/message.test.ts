import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, encode } from 'dns-packet'
import fc from 'fast-check'
import { parseMessage } from './message.ts'
import { MalformedMessage } from './wire-reader.ts'

const question = { name: 'example.com', type: 'TXT' } as const

/** As another implementation writes it. */
function written(
  answers: Answer[],
  more: { authorities?: Answer[]; additionals?: Answer[]; flags?: number } = {},
): Buffer {
  return encode({ type: 'response', id: 7, questions: [question], answers, ...more })
}

/** A header of our own: `counts` of questions, answers, authorities and additionals. */
function header(flags: number, ...counts: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.alloc(12)
  for (const [index, value] of [7, flags, ...counts].entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}

/** One record of the root: type, class IN, TTL, then the data after a length that may be wrong. */
function record(type: number, data: Buffer, length = data.length, ttl = 60): Buffer {
  const fixed = Buffer.alloc(11)
  fixed.writeUInt16BE(type, 1)
  fixed.writeUInt16BE(1, 3)
  fixed.writeUInt32BE(ttl, 5)
  fixed.writeUInt16BE(length, 9)
  return Buffer.concat([fixed, data])
}

const answerOf = (...parts: readonly Buffer[]) => parseMessage(Buffer.concat([header(0x8000, 0, 1, 0, 0), ...parts]))

describe('messages of another implementation are parsed', () => {
  test('every record type that we query', () => {
    const common = { name: 'Example.COM', ttl: 300 }
    const soa = {
      mname: 'NS1.example.com',
      rname: 'host.example.com',
      serial: 5,
      refresh: 1,
      retry: 2,
      expire: 3,
      minimum: 60,
    }
    const message = parseMessage(
      written([
        { ...common, type: 'A', data: '192.0.2.1' },
        { ...common, type: 'AAAA', data: '2001:db8:0:0:0:0:0:1' },
        { ...common, type: 'CNAME', data: 'Other.example.com' },
        { ...common, type: 'NS', data: 'ns1.example.com' },
        { ...common, type: 'PTR', data: 'host.example.com' },
        { ...common, type: 'MX', data: { preference: 10, exchange: 'MX.example.com' } },
        { ...common, type: 'SOA', data: soa },
        { ...common, type: 'TXT', data: ['one', '', 'two'] },
      ]),
    )
    assert.deepEqual(
      message.answers.map(({ data }) => data),
      [
        { address: '192.0.2.1' },
        { address: '2001:db8::1' },
        { target: 'other.example.com' },
        { target: 'ns1.example.com' },
        { target: 'host.example.com' },
        { preference: 10, exchange: 'mx.example.com' },
        { primary: 'ns1.example.com', mailbox: 'host.example.com', serial: 5, minimumSeconds: 60 },
        { text: 'onetwo', strings: ['one', '', 'two'] },
      ],
    )
    assert.ok(message.answers.every(({ name, ttlSeconds }) => name === 'example.com' && ttlSeconds === 300))
    assert.deepEqual(message.question, { name: 'example.com', typeCode: 16 })
  })

  test('any strings of any bytes: the text is what they say together', () => {
    const strings = fc.array(
      fc.uint8Array({ maxLength: 255 }).map((bytes) => Buffer.from(bytes)),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(strings, (data) => {
        const [found] = parseMessage(written([{ name: 'example.com', type: 'TXT', data: [...data] }])).answers
        const expected = { text: Buffer.concat(data).toString(), strings: data.map((bytes) => bytes.toString()) }
        assert.deepEqual(found?.data, expected)
      }),
    )
  })

  test('a character that lies across two strings stays whole in the text', () => {
    const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)]
    const [found] = parseMessage(written([{ name: 'example.com', type: 'TXT', data: [first, second] }])).answers
    assert.ok(found?.type === 'TXT' && found.data.text === 'ü')
  })

  test('any addresses', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [found] = parseMessage(written([{ name: 'a.test', type: 'A', data: address }])).answers
        assert.deepEqual(found?.data, { address })
      }),
    )
  })

  test('flags and codes, the upper bits of EDNS included', () => {
    const opt: Answer = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    }
    const flags = (1 << 10) | (1 << 9)
    const message = parseMessage(written([], { flags, additionals: [opt] }))
    assert.deepEqual(
      [message.rcode, message.isAuthoritative, message.isTruncated, message.isResponse],
      [16, true, true, true],
    )
    assert.equal(parseMessage(written([], { flags: 3 })).rcode, 3)
    assert.equal(parseMessage(encode({ type: 'query', id: 1 })).isResponse, false)
  })

  test('records of unknown types and other classes are ignored, in every position', () => {
    const text: Answer = { name: 'example.com', type: 'TXT', data: ['x'] }
    const chaos: Answer = { ...text, class: 'CH' }
    const key: Answer = {
      name: 'example.com',
      type: 'SSHFP',
      data: { algorithm: 1, hash: 2, fingerprint: 'ab'.repeat(32) },
    }
    const { answers } = parseMessage(written([key, chaos, text, key]))
    assert.deepEqual(
      answers.map(({ type }) => type),
      ['TXT'],
    )
  })
})

describe('the header', () => {
  test('of a response to anything but a query is not a response', () => {
    const isResponse = (flags: number) => parseMessage(header(flags, 0, 0, 0, 0)).isResponse
    assert.equal(isResponse(0x8000), true)
    assert.equal(isResponse(0x0000), false)
    // RFC 1035 section 4.1.1: the four bits of OPCODE; then all others, which do not matter here.
    for (const bit of [0x0800, 0x1000, 0x2000, 0x4000]) assert.equal(isResponse(0x8000 | bit), false, String(bit))
    assert.equal(isResponse(0x87ff), true)
  })

  test('each flag is a bit of its own, and the code the last four', () => {
    for (const bit of [0x0400, 0x0200, 0x0100, 0x0080, 0x0040, 0x0020, 0x0010]) {
      const { isAuthoritative, isTruncated, rcode } = parseMessage(header(0x8005 | bit, 0, 0, 0, 0))
      assert.deepEqual([isAuthoritative, isTruncated, rcode], [bit === 0x0400, bit === 0x0200, 5])
    }
  })

  test('a question of another class is refused', () => {
    const asking = (code: number) =>
      parseMessage(Buffer.concat([header(0x8000, 1, 0, 0, 0), Buffer.of(0, 0, 16, 0, code)])).question
    assert.deepEqual(asking(1), { name: '', typeCode: 16 })
    assert.throws(() => asking(3), MalformedMessage)
  })
})

describe('EDNS', () => {
  const option = (code: number, ...data: readonly number[]) => Buffer.of(0, code, 0, data.length, ...data)
  const ednsOf = (ttl: number, ...options: readonly Buffer[]) => {
    const data = Buffer.concat(options)
    return parseMessage(Buffer.concat([header(0x8002, 0, 0, 0, 1), record(41, data, data.length, ttl)]))
  }

  test('has the upper bits of the code in the first byte of its TTL, and other things after it', () => {
    assert.equal(ednsOf(0x0100_0000).rcode, 0x12)
    assert.equal(ednsOf(0x00ff_ffff).rcode, 2)
  })

  test('reports extended errors, several of them, among other options', () => {
    assert.deepEqual(ednsOf(0).extendedErrors, [])
    assert.deepEqual(
      ednsOf(0, option(10, 1, 2, 3), option(15, 0, 6), option(15, 1, 2, 97), option(15, 9)).extendedErrors,
      [6, 258],
    )
  })
})

describe('the TTL', () => {
  const ttlOf = (ttl: number) => answerOf(record(1, Buffer.of(192, 0, 2, 1), 4, ttl)).answers[0]?.ttlSeconds

  test('is that of the record, and zero if the highest bit is set', () => {
    assert.equal(ttlOf(0x7fff_ffff), 0x7fff_ffff)
    assert.equal(ttlOf(0x8000_0000), 0)
    assert.equal(ttlOf(0xffff_ffff), 0)
  })
})

describe('names', () => {
  const targetOf = (data: Buffer) => {
    const [found] = answerOf(record(5, data)).answers
    return found?.type === 'CNAME' ? found.data.target : undefined
  }

  test('no two different names have the same text', () => {
    assert.equal(targetOf(Buffer.from('\x03a.b\x04test\0', 'latin1')), 'a\\.b.test')
    assert.equal(targetOf(Buffer.from('\x03a\\b\x04test\0', 'latin1')), 'a\\\\b.test')
    assert.equal(targetOf(Buffer.from('\x02\0\xff\x04test\0', 'latin1')), '\\000\\255.test')
    assert.equal(targetOf(Buffer.from('\x01 \x04test\0', 'latin1')), '\\032.test')
    assert.equal(targetOf(Buffer.of(0)), '')
  })

  test('a pointer back is followed', () => {
    const owner = Buffer.from('\x04test\0', 'latin1')
    const target = Buffer.concat([Buffer.from('\x01a', 'latin1'), Buffer.of(0xc0, 12)])
    const fixed = record(5, target).subarray(1)
    const [found] = answerOf(owner, fixed).answers
    assert.deepEqual(found?.type === 'CNAME' && [found.name, found.data.target], ['test', 'a.test'])
  })

  const bad = {
    'a pointer to itself': Buffer.of(0xc0, 23),
    'a pointer beyond the message': Buffer.of(0xff, 0xff),
    'a pointer that is cut off': Buffer.of(0xc0),
    'a circle of pointers': Buffer.of(0x01, 0x61, 0xc0, 23),
    'a label of an unknown kind': Buffer.of(0x40, 0),
    'a label beyond the record': Buffer.of(5, 0x61),
    'no end': Buffer.from('\x01a', 'latin1'),
    'more than 255 bytes': Buffer.concat([Buffer.from(`\x3f${'a'.repeat(63)}`.repeat(4), 'latin1'), Buffer.of(0)]),
    'more than the name': Buffer.from('\x01a\0rest', 'latin1'),
  }
  for (const [what, data] of Object.entries(bad)) {
    test(`refused: ${what}`, () => assert.throws(() => targetOf(data), MalformedMessage))
  }

  test('refused: a pointer forwards, even to a good name', () => {
    const two = (target: number) =>
      Buffer.concat([
        header(0x8000, 0, 2, 0, 0),
        record(5, Buffer.of(0xc0, target)),
        record(1, Buffer.of(192, 0, 2, 1)),
      ])
    assert.equal(parseMessage(two(12)).answers.length, 2)
    assert.throws(() => parseMessage(two(25)), MalformedMessage)
  })

  test('a name of 255 bytes is the longest', () => {
    const longest = Buffer.concat([
      Buffer.from(`\x3f${'a'.repeat(63)}`.repeat(3), 'latin1'),
      Buffer.from(`\x3d${'b'.repeat(61)}\0`, 'latin1'),
    ])
    assert.equal(longest.length, 255)
    assert.equal(targetOf(longest)?.length, 253)
  })

  test('a chain of pointers has an end: thousands in a row would make every record of a message expensive', () => {
    /** The root's name at offset 23, then pointers, each to the one before; then a record whose name is the last. */
    const chained = (count: number) => {
      const data = Buffer.alloc(1 + 2 * count)
      for (let index = 0; index < count; index++) {
        data.writeUInt16BE(0xc000 | (index === 0 ? 23 : 22 + 2 * index), 1 + 2 * index)
      }
      const last = Buffer.alloc(2)
      last.writeUInt16BE(0xc000 | (22 + 2 * count))
      const owned = record(1, Buffer.of(192, 0, 2, 1)).subarray(1)
      return Buffer.concat([header(0x8000, 0, 2, 0, 0), record(99, data), last, owned])
    }
    // The name itself is one more.
    assert.equal(parseMessage(chained(126)).answers[0]?.name, '')
    assert.throws(() => parseMessage(chained(127)), MalformedMessage)
    assert.throws(() => parseMessage(chained(5000)), MalformedMessage)
  })
})

describe('the work for names is limited by the length of the message', () => {
  /** Names of 30 labels, one after the other, in a record of an unknown type; then records whose names point into them. */
  const pointing = (targets: readonly number[]) => {
    const names = Buffer.from(`${'\x07abcdefg'.repeat(30)}\0`.repeat(40), 'latin1')
    const owned = record(1, Buffer.of(192, 0, 2, 1)).subarray(1)
    const pointers = targets.map((target) => Buffer.of(0xc0 | (target >> 8), target & 255))
    const records = pointers.map((pointer) => Buffer.concat([pointer, owned]))
    return Buffer.concat([header(0x8000, 0, 1 + targets.length, 0, 0), record(99, names), ...records])
  }
  const NAMES_AT = 23

  test('a name that thousands of others point to is decoded once', () => {
    const { answers } = parseMessage(pointing(Array.from({ length: 3000 }, () => NAMES_AT)))
    assert.equal(answers.length, 3000)
    assert.ok(answers.every(({ name }) => name === answers[0]?.name && name.length === 239))
  })

  test('refused: thousands of pointers to different parts of the same names', () => {
    const parts = Array.from(
      { length: 40 * 30 },
      (_, index) => NAMES_AT + 241 * Math.floor(index / 30) + 8 * (index % 30),
    )
    assert.equal(parseMessage(pointing(parts.slice(0, 50))).answers.length, 50)
    assert.throws(() => parseMessage(pointing(parts)), MalformedMessage)
  })
})

describe('incomplete messages are refused', () => {
  test('every truncation of a message with all types', () => {
    const soa = { mname: 'a.test', rname: 'b.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }
    const bytes = written([
      { name: 'example.com', type: 'MX', data: { preference: 1, exchange: 'mx.test' } },
      { name: 'example.com', type: 'AAAA', data: '2001:db8::1' },
      { name: 'example.com', type: 'SOA', data: soa },
      { name: 'example.com', type: 'TXT', data: ['one', 'two'] },
    ])
    assert.equal(parseMessage(bytes).answers.length, 4)
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => parseMessage(bytes.subarray(0, length)), MalformedMessage, `${length}`)
    }
  })

  const lies = {
    'an address of three bytes': record(1, Buffer.of(192, 0, 2)),
    'an address of five bytes': record(1, Buffer.of(192, 0, 2, 1, 1)),
    'data beyond the message': record(16, Buffer.from('\x01a', 'latin1'), 300),
    'a string beyond its record': record(16, Buffer.from('\x05ab', 'latin1')),
    'a lone byte after the EDNS options': record(41, Buffer.of(0, 10, 0, 0, 7)),
    'an EDNS option beyond its record': record(41, Buffer.of(0, 15, 0, 9, 0, 0)),
  }
  for (const [what, bytes] of Object.entries(lies)) {
    test(`refused: ${what}`, () => {
      assert.throws(() => answerOf(bytes), MalformedMessage)
      // Not even if the message continues: the following bytes belong to other records.
      if (bytes.length < 200) assert.throws(() => answerOf(bytes, Buffer.alloc(20)), MalformedMessage)
    })
  }

  test('more records announced than twelve bytes can hold', () => {
    assert.throws(() => parseMessage(header(0x8000, 0xffff, 0xffff, 0xffff, 0xffff)), MalformedMessage)
    assert.throws(() => parseMessage(header(0x8000, 0, 1, 0, 0)), MalformedMessage)
  })

  test('two questions in one', () => {
    const two = encode({ type: 'response', id: 7, questions: [question, question] })
    assert.throws(() => parseMessage(two), MalformedMessage)
  })
})

test('only a standard query with the response bit is a response', () => {
  const isResponse = (flags: number) => {
    const header = Buffer.alloc(12)
    header.writeUInt16BE(flags, 2)
    return parseMessage(header).isResponse
  }
  assert.deepEqual([0x8000, 0x8583, 0x0000, 0x0001, 0x0100, 0x8800, 0xa000].map(isResponse), [
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
