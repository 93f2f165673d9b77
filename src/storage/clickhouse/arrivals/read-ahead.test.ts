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
