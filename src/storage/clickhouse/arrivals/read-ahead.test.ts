import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ArrivalPage, ArrivalQuery } from '../../../events/log/event-log.ts'
import type { EventText } from '../../../events/log/log-query.ts'
import { ReadAhead } from './read-ahead.ts'

const DOMAINS = [{ number: 7, name: 'a.test' }]

describe('reading ahead', () => {
  test('small pages in a row are those of one query, with the positions of their last events', async () => {
    const { ahead, asked } = openScene(4800)
    const { seen, pages } = await follow(ahead, 50)
    assert.deepEqual(
      seen,
      Array.from({ length: 4800 }, (_, index) => index),
    )
    assert.deepEqual(asked, ['0', '2000', '4000', '4800'])
    assert.equal(pages, 97)
  })

  test('what arrives while a page is handed out in parts is read after the last of them, without another arrival', async () => {
    const { ahead, arrive } = openScene(120)
    const { position } = await ahead.list(queryAfter('0'))
    arrive(7)
    const { seen } = await follow(ahead, 50, position)
    assert.deepEqual(
      seen,
      Array.from({ length: 77 }, (_, index) => 50 + index),
    )
  })

  test('a page that was not kept says itself whether there is more', async () => {
    const { ahead } = openScene(30)
    assert.equal((await ahead.list(queryAfter('0'))).hasMore, false)
  })

  test('a position, a filter or domains that were not asked for before are read', async () => {
    const { ahead, asked } = openScene(1200)
    await ahead.list(queryAfter('0'))
    await ahead.list(queryAfter('70'))
    await ahead.list({ ...queryAfter('50'), filters: { recipient: 'a' } })
    await ahead.list({ ...queryAfter('50'), domains: [...DOMAINS] })
    await ahead.list({ ...queryAfter('50'), shown: 'sending' })
    assert.deepEqual(asked, ['0', '70', '50', '50', '50'])
    await ahead.list(queryAfter('50'))
    assert.equal(asked.length, 5)
  })

  test('nothing that was read before a removal is returned after it', async () => {
    const { ahead, asked } = openScene(1200)
    await ahead.list(queryAfter('0'))
    const reading = ahead.list(queryAfter('900'))
    ahead.forget()
    await reading
    await ahead.list(queryAfter('50'))
    await ahead.list(queryAfter('950'))
    assert.deepEqual(asked, ['0', '900', '50', '950'])
  })

  test('what many clients leave is kept within a bound: the oldest is read again', async () => {
    const { ahead, asked } = openScene(2400, 40_000)
    await ahead.list(queryAfter('0'))
    await ahead.list({ ...queryAfter('0'), domains: [...DOMAINS] })
    await ahead.list(queryAfter('50'))
    assert.deepEqual(asked, ['0', '0', '50'])
  })
})

/** Events 0, 1, 2 …, whose positions are the number of events up to them. */
function openScene(atFirst: number, textLength = 10) {
  const asked: string[] = []
  let count = atFirst
  const arrive = (more: number) => {
    count += more
  }
  const read = async ({ after, limit }: ArrivalQuery): Promise<ArrivalPage> => {
    asked.push(after)
    const from = Number(after)
    const to = Math.min(count, from + limit)
    const events = Array.from({ length: to - from }, (_, index) => ({
      text: `${from + index}`.padEnd(textLength) as EventText,
      position: `${from + index + 1}`,
    }))
    return { events, position: `${to}`, hasMore: to < count }
  }
  return { ahead: new ReadAhead(read), asked, arrive }
}

function queryAfter(after: string): ArrivalQuery {
  return { domains: DOMAINS, filters: {}, after, limit: 50, budgetMs: 100 }
}

async function follow(ahead: ReadAhead, limit: number, from = '0') {
  const seen: number[] = []
  let [after, pages, hasMore] = [from, 0, true]
  for (; hasMore; pages++) {
    const page = await ahead.list({ ...queryAfter(after), limit })
    seen.push(...page.events.map(({ text }) => Number(text)))
    ;({ position: after, hasMore } = page)
  }
  return { seen, pages }
}

describe('what is kept', () => {
  const MOST = 64 * 1024 * 1024

  /** Each page has an event to be handed out, and others, each of this length. */
  function openKept(length: number, rest = 1) {
    let reads = 0
    const ahead = new ReadAhead(async () => {
      reads++
      const text = { length } as unknown as EventText
      const events = Array.from({ length: rest + 1 }, (_, index) => ({ text, position: `p${index}` }))
      return { events, position: 'end', hasMore: false }
    })
    const client = () => {
      const domains = [...DOMAINS]
      return (after: string) => ahead.list({ domains, filters: {}, after, limit: 1, budgetMs: 1 })
    }
    return { ahead, client, countReads: () => reads }
  }

  test('has at most 64 million characters, the oldest go first', async () => {
    const { client, countReads } = openKept(MOST / 2)
    const [one, two, three] = [client(), client(), client()]
    await one('0')
    await two('0')
    await one('p0')
    assert.equal(countReads(), 2)
    await one('0')
    await three('0')
    assert.equal(countReads(), 4)
    // That of the second was the oldest.
    await one('p0')
    await three('p0')
    assert.equal(countReads(), 4)
    await two('p0')
    assert.equal(countReads(), 5)
  })

  test('counts what was forgotten, or read again, no more', async () => {
    const { ahead, client, countReads } = openKept(MOST / 2)
    const [one, two] = [client(), client()]
    for (let times = 0; times < 3; times++) await one('0')
    ahead.forget()
    await one('0')
    await two('0')
    const before = countReads()
    await one('p0')
    await two('p0')
    assert.equal(countReads(), before)
    await one('0')
    ahead.forget()
    await one('p0')
    assert.equal(countReads(), before + 2)
  })

  test('is as old as the page that it is a part of, and is given out once', async (t) => {
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const { client, countReads } = openKept(1, 5)
    const one = client()
    await one('0')
    now += 1500
    await one('p0')
    assert.equal(countReads(), 1)
    now += 500
    await one('p1')
    assert.equal(countReads(), 2)
    const other = client()
    await other('0')
    await other('p0')
    await other('p0')
    assert.equal(countReads(), 4)
  })
})
