import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toFilters, toWindow } from './event-filters.ts'

describe('codes', () => {
  const rangeOf = (code: string) => toFilters({ code: [code] }, 'attempts').filters.codes?.[0]

  test('are single ones, classes and ranges, with both ends', () => {
    assert.deepEqual(rangeOf('550'), { from: 550, to: 550 })
    assert.deepEqual(rangeOf('4xx'), { from: 400, to: 499 })
    assert.deepEqual(rangeOf('55X'), { from: 550, to: 559 })
    assert.deepEqual(rangeOf('400-499'), { from: 400, to: 499 })
    assert.deepEqual(rangeOf('5-5'), { from: 5, to: 5 })
  })

  test('a range that ends before it begins is refused', () => {
    assert.throws(() => rangeOf('500-499'), { code: 'invalid_request' })
  })
})

test('only what was sent becomes a filter, each under its own name', () => {
  assert.deepEqual(toFilters({}, 'attempts'), { filters: {} })
  assert.deepEqual(
    toFilters(
      {
        domain: ['a.test'],
        type: ['Bounce'],
        provider: ['p'],
        classification: ['c'],
        q: 'any',
        recipient: 'r',
        sender: 's',
        header_from: 'f',
        subject: 'x',
        message_id: 'm',
      },
      'attempts',
    ),
    {
      domains: ['a.test'],
      filters: {
        types: ['Bounce'],
        providers: ['p'],
        classifications: ['c'],
        anyText: 'any',
        recipient: 'r',
        sender: 's',
        subject: 'x',
        from: 'f',
        messageId: 'm',
      },
    },
  )
})

test('a window begins with its first whole second, and its end is not in it', () => {
  assert.deepEqual(toWindow({}), {})
  assert.deepEqual(toWindow({ from: '1970-01-01T00:00:10Z', to: '1970-01-01T00:00:20Z' }), {
    startTimestamp: 10,
    endTimestamp: 19,
  })
  assert.deepEqual(toWindow({ from: '1970-01-01T00:00:10.001Z', to: '1970-01-01T00:00:20.001Z' }), {
    startTimestamp: 11,
    endTimestamp: 20,
  })
})

describe('a search', () => {
  const filtersOf = (q: string, others = {}) => toFilters({ q, ...others }, 'attempts')
  const ALL = ['recipient', 'sender', 'from', 'subject']

  test('of one word is what it always was', () => {
    assert.deepEqual(filtersOf('anna@example.org'), { filters: { anyText: 'anna@example.org' } })
    assert.deepEqual(filtersOf('Anna <anna@example.org>'), { filters: { anyText: 'anna@example.org' } })
  })

  test('of several terms has all of them, and what must not apply', () => {
    assert.deepEqual(filtersOf('anna "your invoice" to:b code:5xx -type:Opened -domain:a.test -spam'), {
      withoutDomains: ['a.test'],
      filters: {
        codes: [{ from: 500, to: 599 }],
        texts: [
          { text: 'anna', fields: ALL, ids: ['anna'] },
          { text: 'your invoice', fields: ALL, ids: ['your invoice'] },
          { text: 'b', fields: ['recipient'] },
        ],
        without: { types: ['Opened'], texts: [{ text: 'spam', fields: ALL, ids: ['spam'] }] },
      },
    })
  })

  test('names of ours may be written in any letter case, others are exact', () => {
    assert.deepEqual(filtersOf('provider:gmail provider:"web.de" class:INVALIDRECIPIENT provider:theirs').filters, {
      providers: ['Gmail', 'WEB.DE', 'theirs'],
      classifications: ['InvalidRecipient'],
    })
  })

  test('for a Message-ID finds the message whose id it contains, or was derived from it', () => {
    const [text] = filtersOf('<0b7f3c1e5a7e4d9b9a35@mail.example>').filters.texts ?? []
    assert.deepEqual(text?.ids?.slice(0, 2), ['0b7f3c1e5a7e4d9b9a35@mail.example', '0b7f3c1e5a7e4d9b9a35'])
    assert.equal(text?.ids?.length, 3)
    assert.deepEqual(filtersOf('id:0b7f3c1e').filters, { messageId: '0b7f3c1e' })
  })

  test('and parameters both have to match; if no event can, no domain is read', () => {
    const { filters } = filtersOf('type:Bounce,Delivery code:5xx -provider:a', {
      type: ['Bounce', 'Opened'],
      code: ['540-560', '250'],
      not_provider: ['b'],
    })
    assert.deepEqual(filters.types, ['Bounce'])
    assert.deepEqual(filters.codes, [{ from: 540, to: 560 }])
    assert.deepEqual(filters.without, { providers: ['b', 'a'] })
    assert.deepEqual(filtersOf('domain:A.test', { domain: ['a.TEST', 'b.test'] }).domains, ['a.test'])
    for (const [q, others] of [
      ['type:Bounce', { type: ['Opened'] }],
      ['code:4xx', { code: ['5xx'] }],
      ['provider:a', { provider: ['b'] }],
      ['domain:a.test', { domain: ['b.test'] }],
      ['id:a', { message_id: 'b' }],
    ] as const) {
      assert.deepEqual(filtersOf(q, others).domains, [], q)
    }
  })

  test('that cannot be understood is refused with the part that is wrong', () => {
    assert.throws(() => filtersOf('anna type:Bouncd'), {
      code: 'invalid_request',
      message: /^Invalid q: type:Bouncd: not a type of event\./,
    })
    assert.throws(() => filtersOf('code:500-499'), { code: 'invalid_request' })
    assert.throws(() => toFilters({ q: 'ip:nonsense' }, 'sending'), { code: 'invalid_request' })
  })

  test('for where messages were sent from is refused to those who may not know it, whatever the value', () => {
    for (const q of ['ip:192.0.2.1', 'ip:nonsense', '-ip:192.0.2.1', 'source:a', '-pool:a']) {
      assert.throws(() => filtersOf(q), { code: 'forbidden' }, q)
    }
    assert.throws(() => toFilters({ not_sending_pool: ['a'] }, 'attempts'), { code: 'forbidden' })
    assert.deepEqual(toFilters({ q: '-ip:192.0.2.1' }, 'sending').filters, {
      without: { sendingAddresses: ['192.0.2.1'] },
    })
  })
})
