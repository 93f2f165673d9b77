import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { CutProxy } from '../../../../test/harness/cluster/cut-proxy.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { Notices } from './notices.ts'
import { Postgres } from './postgres.ts'

const ATTEMPTS = 5
/** Between attempts there is a second; a quarter is left for timers that are early. */
const ATTEMPTS_MS = (ATTEMPTS - 1) * 750

test('while PostgreSQL is away one attempt follows the other', async () => {
  let attempts = 0
  const enough = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    attempts++
    socket.destroy()
    if (attempts === ATTEMPTS) enough.resolve()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const db = new Postgres(`postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`)
  const notices = new Notices(db, { onNotice: () => undefined, onGap: () => undefined })
  try {
    const started = performance.now()
    await notices.open()
    await enough.promise
    assert.ok(performance.now() - started > ATTEMPTS_MS)
  } finally {
    notices.close()
    await db.close()
    server.close()
  }
})

describe('notices', () => {
  let databases: PostgresDatabases
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(() => databases[Symbol.asyncDispose]())

  test('a connection that is silent is given up, and notices arrive again', async () => {
    const url = await databases.create({ isMigrated: false })
    const { username, pathname, searchParams } = new URL(url.replace('@/', '@localhost/'))
    await using proxy = await CutProxy.open({ path: `${searchParams.get('host')}/.s.PGSQL.5432` })
    const direct = new Postgres(url)
    const db = new Postgres(`postgres://${username}@127.0.0.1:${proxy.port}${pathname}`)
    const heard: string[] = []
    let gaps = 0
    const notices = new Notices(db, { onNotice: (text) => heard.push(text), onGap: () => gaps++ })
    const say = (text: string) => direct.run("SELECT pg_notify('envelog', $1)", `another ${text}`)
    const until = async (isTrue: () => boolean) => {
      while (!isTrue()) await direct.run('SELECT pg_sleep(0.05)')
    }
    try {
      await notices.open()
      assert.equal(gaps, 1)
      await say('first')
      await until(() => heard.length === 1)
      proxy.cut()
      await say('lost')
      await until(() => gaps > 1)
      proxy.mend()
      const before = gaps
      await until(() => gaps > before)
      await say('second')
      await until(() => heard.length === 2)
      assert.deepEqual(heard, ['first', 'second'])
    } finally {
      notices.close()
      await db.close()
      await direct.close()
    }
  })

  test('a connection that is made after the end is ended, too', async () => {
    const db = new Postgres(await databases.create({ isMigrated: false }))
    const notices = new Notices(db, { onNotice: () => undefined, onGap: () => undefined })
    const opening = notices.open()
    notices.close()
    await opening
    const LISTENING = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    while ((await db.get<{ count: number }>(LISTENING))?.count !== 0) await db.run('SELECT pg_sleep(0.05)')
    await db.close()
  })
})
