import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CutProxy } from '../../../../test/harness/cluster/cut-proxy.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { AppError } from '../../../lib/app-error.ts'
import { lockedTransactions } from './locked-transactions.ts'
import { LOCKS } from './locks.ts'
import { Postgres } from './postgres.ts'

const ANSWER_MS = 3000
const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable'

describe('transactions one after the other', () => {
  let databases: PostgresDatabases
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(() => databases[Symbol.asyncDispose]())

  test('one that has waited for too long is refused without being begun, and those that follow take their turns', async () => {
    const db = new Postgres(await databases.create({ isMigrated: false }))
    const locked = lockedTransactions(db, LOCKS.audit, 500)
    const begun: string[] = []
    const [first, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = locked(async () => {
      first.resolve()
      await release.promise
      return 'first'
    })
    await first.promise
    const refused = [1, 2].map(() => locked(async () => begun.push('refused')))
    for (const one of refused) await assert.rejects(one, isUnavailable)
    const next = [1, 2].map((number) =>
      locked(async (statements) => begun.push(`${number}, ${await statements.number('SELECT 1')} at a time`)),
    )
    release.resolve()
    assert.equal(await running, 'first')
    await Promise.all(next)
    assert.deepEqual(begun, ['1, 1 at a time', '2, 1 at a time'])
    await db.close()
  })

  describe('on a connection that became silent', () => {
    async function openCut() {
      const url = await databases.create({ isMigrated: false })
      const { username, pathname, searchParams } = new URL(url.replace('@/', '@localhost/'))
      const proxy = await CutProxy.open({ path: `${searchParams.get('host')}/.s.PGSQL.5432` })
      const db = new Postgres(`postgres://${username}@127.0.0.1:${proxy.port}${pathname}`, { query_timeout: ANSWER_MS })
      const close = async () => {
        await db.close()
        await proxy[Symbol.asyncDispose]()
      }
      return { proxy, db, [Symbol.asyncDispose]: close }
    }

    test('nothing is sent after the first statement without an answer, and the connection is not used again', async () => {
      await using scene = await openCut()
      const { proxy, db } = scene
      const backend = () => db.number('SELECT pg_backend_pid()')
      const earlier = await backend()
      proxy.cut()
      const startedMs = performance.now()
      await assert.rejects(
        lockedTransactions(db, LOCKS.audit)(async () => assert.fail()),
        isUnavailable,
      )
      // A ROLLBACK would take as long again.
      assert.ok(performance.now() - startedMs < 2 * ANSWER_MS)
      proxy.mend()
      assert.notEqual(await backend(), earlier)
    })

    test('a session of its own ends', async () => {
      await using scene = await openCut()
      const { proxy, db } = scene
      const session = await db.openSession({ lock_timeout: 100 })
      proxy.cut()
      const startedMs = performance.now()
      await assert.rejects(
        session.transaction(async () => assert.fail()),
        isUnavailable,
      )
      assert.ok(performance.now() - startedMs < 2 * ANSWER_MS)
      assert.equal(session.isOpen, false)
    })

    test('whoever wants to know soon is told sooner than others', async () => {
      await using scene = await openCut()
      const { proxy, db } = scene
      await db.run('SELECT 1')
      proxy.cut()
      const startedMs = performance.now()
      await assert.rejects(db.answeringWithin(ANSWER_MS / 10).run('SELECT 1'), isUnavailable)
      assert.ok(performance.now() - startedMs < ANSWER_MS)
    })
  })
})
