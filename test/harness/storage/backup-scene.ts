/** An installation in a temporary folder, its folder of backups, and restored copies of it. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { EmailEvent } from '../../../src/events/event.ts'
import { restoreBackup } from '../../../src/storage/sqlite/backup/restore.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open-sqlite-storage.ts'
import type { BackupReport, BackupRequest, Storage } from '../../../src/storage/storage.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

/** Noon, UTC. */
const NOON = 1_772_366_400
const DAY = 86_400
const DOMAIN = { number: 1, name: 'a.test' }

export class BackupScene implements AsyncDisposable {
  /** Of the clock. */
  nowMs = Date.now()
  readonly dataDir: string
  /** Of backups. */
  readonly folder: string
  readonly #temporary = openTemporaryFolder()
  #storage: Storage | undefined
  #copies = 0

  constructor() {
    this.dataDir = join(this.#temporary.path, 'data')
    this.folder = join(this.#temporary.path, 'backups')
    mkdirSync(this.folder)
  }

  get storage(): Storage {
    assert(this.#storage)
    return this.#storage
  }

  /** Opens the storage; if it is open, it is closed first. */
  async reopen(): Promise<void> {
    await this.#storage?.close()
    this.#storage = await this.#openAt(this.dataDir)
  }

  /** Closes all days, as if they had been written long ago: a file that was just written counts as changed. */
  async settle(): Promise<void> {
    await this.reopen()
    const folder = join(this.dataDir, 'events')
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1)
  }

  backUp(request: Partial<BackupRequest> = {}): Promise<BackupReport> {
    const { backup } = this.storage.capabilities
    assert(backup)
    return backup.run({ folder: this.folder, ...request })
  }

  /** Stores messages with these ids, at noon of that day. */
  async store(ids: readonly string[], daysAgo = 0): Promise<void> {
    const events = ids.map((id) => ({ domainNumber: DOMAIN.number, event: eventOf(id, daysAgo) }))
    assert.equal((await this.storage.log.append(events)).stored, ids.length)
  }

  dayPath(daysAgo: number): string {
    return join(this.dataDir, 'events', `${dayOf(daysAgo)}.db`)
  }

  /** The ids in a restored copy, whose counters and files are examined. */
  restoredIds(backup: string): Promise<readonly string[]> {
    return this.withRestored(backup, async (storage) => {
      assert.deepEqual(await storage.capabilities.recount?.run(), [])
      return listIds(storage)
    })
  }

  async withRestored<T>(backup: string, work: (storage: Storage, dataDir: string) => Promise<T>): Promise<T> {
    const dataDir = join(this.#temporary.path, `restored-${++this.#copies}`)
    restoreBackup(backup, dataDir)
    const storage = await this.#openAt(dataDir)
    try {
      return await work(storage, dataDir)
    } finally {
      await storage.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage?.close()
    this.#temporary[Symbol.dispose]()
  }

  #openAt(dataDir: string): Promise<Storage> {
    return openSqliteStorage({ dataDir, clock: () => this.nowMs, serviceMessageIdField: 'service_message_id' })
  }
}

export async function openBackupScene(): Promise<BackupScene> {
  const scene = new BackupScene()
  await scene.reopen()
  return scene
}

export function dayOf(daysAgo: number): string {
  return new Date((NOON - daysAgo * DAY) * 1000).toISOString().slice(0, 10)
}

export function inodeOf(path: string): number {
  return statSync(path).ino
}

export async function listIds({ log }: Storage): Promise<readonly string[]> {
  const window = { startTimestamp: 0, endTimestamp: NOON * 2 }
  const page = await log.list({ domains: [DOMAIN], filters: {}, window, limit: 1000, budgetMs: 1000 })
  return page.events.map((text) => (JSON.parse(text) as { id: string }).id).toSorted()
}

function eventOf(id: string, daysAgo: number): EmailEvent {
  const timestamp = NOON - daysAgo * DAY
  return { id, timestamp, type: 'Delivery', domain_name: DOMAIN.name, recipient: `${id}@b.test`, response_code: 250 }
}
