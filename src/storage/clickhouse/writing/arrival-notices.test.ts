import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NAMED_DOMAINS_MAX } from '../../postgres/batches/batch.ts'
import { Notices } from '../../postgres/database/notices.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import { ArrivalNotices } from './arrival-notices.ts'

const numbers = (count: number) => new Set(Array.from({ length: count }, (_, index) => index + 1))

test('an announcement names the domains, unless they are too many or not known', (t) => {
  t.mock.method(Notices.prototype, 'sign', (text: string) => `signed ${text}`)
  const notices = new ArrivalNotices({} as Postgres)
  const textOf = (domains: ReadonlySet<number> | undefined) => notices.announcementOf(domains).text
  assert.equal(textOf(numbers(3)), 'signed 1 2 3')
  assert.equal(textOf(numbers(NAMED_DOMAINS_MAX)).split(' ').length, NAMED_DOMAINS_MAX + 1)
  assert.deepEqual([textOf(numbers(NAMED_DOMAINS_MAX + 1)), textOf(undefined)], ['signed ', 'signed '])
  assert.equal(notices.announcementOf(undefined).channel, 'envelog_arrival')
})

test('each listener is told once, until it is disposed of or all is closed', (t) => {
  const close = t.mock.method(Notices.prototype, 'close', () => undefined)
  const notices = new ArrivalNotices({} as Postgres)
  const heard: (ReadonlySet<number> | undefined)[] = []
  const listener = (domains: ReadonlySet<number> | undefined) => void heard.push(domains)
  const one = notices.onArrival(listener)
  notices.onArrival(listener)
  notices.tell(numbers(2))
  assert.deepEqual(heard.splice(0), [numbers(2), numbers(2)])
  one[Symbol.dispose]()
  notices.tell(undefined)
  assert.deepEqual(heard.splice(0), [undefined])
  notices.close()
  notices.tell(numbers(1))
  assert.deepEqual([heard, close.mock.callCount()], [[], 1])
})

test('notices of other servers name their domains; without names, and after a gap, it may be any', async () => {
  let channel = ''
  let receive: (payload: string) => void = () => assert.fail()
  const listen: Postgres['listen'] = async (name, { onNotice }) => {
    channel = name
    receive = (payload) => onNotice({ channel: name, payload, processId: 1 })
    return () => undefined
  }
  const notices = new ArrivalNotices({ listen } as unknown as Postgres)
  const heard: (ReadonlySet<number> | undefined)[] = []
  notices.onArrival((domains) => void heard.push(domains))
  await notices.open()
  assert.equal(channel, notices.announcementOf(undefined).channel)
  receive('other 1 2')
  receive('other ')
  receive(notices.announcementOf(numbers(2)).text)
  assert.deepEqual(heard, [undefined, numbers(2), undefined])
  notices.close()
})
