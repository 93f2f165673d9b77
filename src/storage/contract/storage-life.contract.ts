/** The contract of every engine over the whole life of an installation: reopening, retention, recount, backup, several servers, health. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { AppError } from '../../lib/app-error.ts'
import { NO_SESSIONS } from '../../tenants/session-store.ts'
import { requireCapability, type Storage } from '../storage.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { burst, follow, freshDomains, listAll, listMessage, queryOf } from './log-scene.ts'

const DAY = 86_400

/** One installation of the engine. */
export interface StorageScene extends AsyncDisposable {
  /** Opens it, or reopens it after a close. */
  open(): Promise<Storage>
  /** Restores a backup and opens it; for engines that have backups. */
  openCopy?(backup: string): Promise<Storage>
  /** Opens a second handle; for engines that several servers may share. */
  openBeside?(): Promise<Storage>
  /** Makes writing fail until the returned function is called. */
  breakWriting(): Promise<() => Promise<void>>
}

export function storageLifeContract(openScene: () => Promise<StorageScene>): void {
  describe('the life of an installation', () => {
    test('everything survives a restart: events, order, counts, positions, generations of the secret, ended sessions', async () => {
      await using scene = await openScene()
      const first = await scene.open()
      const [domain] = freshDomains()
      await first.log.append([burst(1, domain), burst(2, domain, BASE_TIMESTAMP + 2 * DAY), burst(3, domain)])
      const page = await first.log.list(queryOf([domain], 1))
      const arrival = await first.log.arrivals.last()
      const listed = await listAll(first.log, queryOf([domain], 10))
      const counts = await first.log.counts([domain.number])
      const secrets = [{ id: 'aaaa', createdAtMs: 1, resealedAtMs: 1 }]
      await first.control.secrets.replaceGenerations(secrets, undefined)
      const ended = { epoch: 1, ended: [{ id: 'one', expiresAtMs: 5 }] }
      await first.control.sessions.saveSessions('key', NO_SESSIONS, ended)
      await first.close()

      const again = await scene.open()
      assert.deepEqual(await listAll(again.log, queryOf([domain], 10)), listed)
      assert.deepEqual(await again.log.counts([domain.number]), counts)
      assert.deepEqual(await again.control.secrets.listGenerations(), secrets)
      assert.deepEqual(await again.control.sessions.findSessions('key'), ended)
      const rest = await again.log.list({
        ...queryOf([domain], 10),
        ...(page.next !== undefined && { after: page.next }),
      })
      assert.equal(rest.events.length, 2)
      assert.deepEqual(await again.log.append([burst(1, domain)]), { stored: 0, duplicates: 1, expired: [] })
      await again.log.append([burst(4, domain)])
      const followed = { seen: [] as string[], positions: [] as string[] }
      await follow(again.log, { domains: [domain], filters: {} }, arrival, 10, followed)
      assert.equal(followed.seen.length, 1)
      await again.close()
    })

    test('retention removes old events, keeps their counts, and refuses later events of that time', async () => {
      await using scene = await openScene()
      const storage = await scene.open()
      const [domain] = freshDomains()
      const old = burst(1, domain, BASE_TIMESTAMP)
      await storage.log.append([old, burst(2, domain, BASE_TIMESTAMP + 5 * DAY)])
      const removed = await storage.log.removeBefore((BASE_TIMESTAMP + 2 * DAY) * 1000)
      assert.equal(removed.length, 1)
      const ids = async () => (await listAll(storage.log, queryOf([domain], 10))).map(({ id }) => id)
      assert.deepEqual(await ids(), ['message-2'])
      assert.deepEqual(await listMessage(storage.log, [domain], 'message-1'), [])
      assert.equal((await storage.log.counts([domain.number])).get(domain.number)?.delivery, 2)
      // Neither the same event nor another one of that time is accepted again.
      const late = [old, burst(3, domain, BASE_TIMESTAMP + 1), burst(4, domain, BASE_TIMESTAMP + 5 * DAY)]
      assert.deepEqual(await storage.log.append(late), { stored: 1, duplicates: 0, expired: [0, 1] })
      assert.deepEqual(await storage.log.removeBefore((BASE_TIMESTAMP + 2 * DAY) * 1000), [])
      assert.deepEqual(await ids(), ['message-4', 'message-2'])
      assert.equal((await storage.log.counts([domain.number])).get(domain.number)?.delivery, 3)
      const hours = { fromHour: BASE_TIMESTAMP / 3600, toHour: BASE_TIMESTAMP / 3600 + 24 }
      for await (const counted of storage.log.series({
        domainNumbers: [domain.number],
        filters: {},
        group: 'type',
        ...hours,
      })) {
        assert.deepEqual(counted, [], 'series are of retained events')
      }
      await storage.close()
      const again = await scene.open()
      assert.deepEqual(await again.log.append([old]), { stored: 0, duplicates: 0, expired: [0] })
      assert.equal((await again.log.counts([domain.number])).get(domain.number)?.delivery, 3)
      await again.close()
    })

    test('a client that follows arrivals during a removal misses no retained event', async () => {
      await using scene = await openScene()
      const storage = await scene.open()
      const [domain] = freshDomains()
      const start = await storage.log.arrivals.last()
      await storage.log.append([burst(1, domain, BASE_TIMESTAMP), burst(2, domain, BASE_TIMESTAMP + 5 * DAY)])
      await storage.log.removeBefore((BASE_TIMESTAMP + 2 * DAY) * 1000)
      await storage.log.append([burst(3, domain, BASE_TIMESTAMP + 6 * DAY)])
      const followed = { seen: [] as string[], positions: [] as string[] }
      await follow(storage.log, { domains: [domain], filters: {} }, start, 10, followed)
      assert.equal(followed.seen.length, 2)
      await storage.close()
    })

    test('a missing capability is refused with a message; a recount finds every counter correct', async () => {
      await using scene = await openScene()
      const storage = await scene.open()
      const [domain] = freshDomains()
      await storage.log.append([burst(1, domain), burst(2, domain, BASE_TIMESTAMP + DAY)])
      for (const name of ['days', 'backup', 'recount'] as const) {
        if (storage.capabilities[name]) continue
        assert.throws(() => requireCapability(storage, name), /^AppError: This storage engine /)
      }
      assert.deepEqual((await storage.capabilities.recount?.run()) ?? [], [])
      const days = (await storage.capabilities.days?.list()) ?? []
      assert.equal(days.length, storage.capabilities.days?.count ?? 0)
      for (const { events } of days) assert.equal(events, 1)
      await storage.close()
    })

    test('a backup taken while events arrive opens with everything acknowledged before it began', async (t) => {
      await using scene = await openScene()
      const storage = await scene.open()
      const { backup } = storage.capabilities
      if (!backup || !scene.openCopy) {
        await storage.close()
        return t.diagnostic('this engine has no backup of its own')
      }
      const [domain] = freshDomains()
      await storage.log.append([burst(1, domain), burst(2, domain, BASE_TIMESTAMP + DAY)])
      using target = openTemporaryFolder()
      let isDone = false
      const running = backup.run({ folder: join(target.path, 'backups') }).finally(() => {
        isDone = true
      })
      for (let index = 10; !isDone; index++) await storage.log.append([burst(index, domain)])
      const { folder, problems } = await running
      assert.deepEqual(problems, [])
      const copy = await scene.openCopy(folder)
      const ids = (await listAll(copy.log, queryOf([domain], 1000))).map(({ id }) => id)
      assert.ok(ids.includes('message-1') && ids.includes('message-2'))
      assert.deepEqual((await copy.capabilities.recount?.run()) ?? [], [])
      await copy.close()
      await storage.close()
    })

    test('several servers on one store see each other’s events and store each event once', async (t) => {
      await using scene = await openScene()
      const storage = await scene.open()
      if (!scene.openBeside) {
        await storage.close()
        return t.diagnostic('this engine has one owner at a time')
      }
      const other = await scene.openBeside()
      const [domain] = freshDomains()
      const events = Array.from({ length: 50 }, (_, index) => burst(index, domain))
      const position = await other.log.arrivals.last()
      const results = await Promise.all([storage.log.append(events), other.log.append(events)])
      assert.equal(
        results.reduce((sum, { stored }) => sum + stored, 0),
        50,
      )
      for (const { log } of [storage, other]) {
        assert.equal((await listAll(log, queryOf([domain], 7))).length, 50)
        assert.equal((await log.counts([domain.number])).get(domain.number)?.delivery, 50)
        const followed = { seen: [] as string[], positions: [] as string[] }
        await follow(log, { domains: [domain], filters: {} }, position, 7, followed)
        assert.equal(followed.seen.length, 50)
      }
      await other.close()
      await storage.close()
    })

    test('a failed write makes the storage unhealthy, and it recovers automatically', async () => {
      await using scene = await openScene()
      const storage = await scene.open()
      const [domain] = freshDomains()
      assert.equal((await storage.log.append([burst(1, domain)])).stored, 1)
      assert.equal(storage.health.writable, true)
      const repair = await scene.breakWriting()
      await assert.rejects(
        storage.log.append([burst(2, domain)]),
        (error) => error instanceof AppError && error.code === 'storage_unavailable',
      )
      assert.equal(storage.health.writable, false)
      assert.equal((await listAll(storage.log, queryOf([domain], 10))).length, 1, 'reading continues')
      await repair()
      for (let tries = 0; !storage.health.writable; tries++) {
        assert.ok(tries < 500, 'the engine does not notice that it can write again')
        await delay(20)
      }
      assert.equal((await storage.log.append([burst(2, domain)])).stored, 1)
      await storage.close()
    })
  })
}
