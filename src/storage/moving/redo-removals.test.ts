/** Removals of the old storage, done again on a log that answers as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ErasureStep } from '../../events/log/event-log.ts'
import type { LogPage, LogQuery } from '../../events/log/log-query.ts'
import { digestOf } from '../../events/removal/removal.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import type { MoveRecord } from './move-record.ts'
import { noteRemovals, type RedoOptions, redoRemovals } from './redo-removals.ts'
import type { SourceFolder } from './source-folder.ts'

interface Removal {
  readonly id: string
  readonly kind: 'recipient' | 'domains'
  readonly object?: string
  readonly domain_numbers?: string
}

interface Scene {
  readonly removals?: readonly Removal[]
  /** Ids of those that the new storage knows. */
  readonly known?: readonly string[]
  readonly noted?: Readonly<Record<string, { readonly isRedone: boolean; readonly address: string | null }>>
  readonly steps?: readonly Partial<ErasureStep>[]
  /** By domain: the recipients on each page. */
  readonly pages?: Readonly<Record<number, readonly (readonly string[])[]>>
  readonly expired?: readonly { readonly id: string; readonly beforeMs: number }[]
  readonly expiredThere?: readonly { readonly id: string; readonly beforems: number }[]
  readonly folded?: string
  /** Days that have events to the address, and days that are gone. */
  readonly daysOfAddress?: readonly string[]
}

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03']

async function redo(scene: Scene) {
  const { removals = [], known = [], noted = {}, steps = [], pages = {}, expired = [], expiredThere = [] } = scene
  const done: unknown[][] = []
  const waiting = [...steps]
  const listed: string[] = []
  const log: RedoOptions['log'] = {
    async erase(erasure, after) {
      done.push(['erase', erasure, after])
      return { removed: 0, ...waiting.shift() }
    },
    async list({ domains, after = '0' }: LogQuery) {
      const [{ number } = assert.fail()] = domains
      listed.push(`${number} ${after}`)
      const own = pages[number] ?? []
      const events = (own[Number(after)] ?? []).map((recipient) => JSON.stringify({ recipient }))
      const hasNext = Number(after) + 1 < own.length
      return { events, ...(hasNext && { next: String(Number(after) + 1) }) } as LogPage
    },
    async removeBefore(timeMs) {
      done.push(['removeBefore', timeMs])
      return []
    },
  }
  const control = {
    all: (sql: string) => (sql.includes('FROM removal') ? removals : expired),
    allArrays: (_: string, tenant: string) => [[tenant.length], [7]],
    get: () => ({ day: scene.folded ?? null }),
  }
  const source = {
    control,
    listDomains: () => Object.keys(pages).map((number) => ({ number: Number(number), name: 'a.test' })),
    listDays: () => DAYS,
    openDay: (day: string) =>
      day === DAYS[2]
        ? undefined
        : {
            defineTextFunction: () => undefined,
            get: (_: string, address: string) =>
              address === 'anna@a.test' && scene.daysOfAddress?.includes(day) ? { 1: 1 } : undefined,
            [Symbol.dispose]: () => undefined,
          },
  } as unknown as SourceFolder
  const db = {
    all: async (sql: string) => (sql.includes('FROM removal') ? known.map((id) => ({ id })) : expiredThere),
  } as unknown as Postgres
  const record = {
    findRemoval: async (id: string) => noted[id],
    noteRedone: async (id: string, address?: string) => void done.push(['redone', id, address]),
    noteDay: async (day: string, arrival: number) => void done.push(['day', day, arrival]),
  } as unknown as MoveRecord
  await redoRemovals({ source, log, db, record })
  return { done, listed }
}

const digest = digestOf('r1', 'Anna@a.test')

describe('removals of the old storage', () => {
  test('that the new one knows, or that were done again already, are left alone', async () => {
    const removals = ['r1', 'r2'].map((id) => ({ id, kind: 'domains', domain_numbers: '[1]' }) as const)
    const { done } = await redo({ removals, known: ['r1'], noted: { r2: { isRedone: true, address: null } } })
    assert.deepEqual(done, [])
  })

  test('of domains are done again until nothing of it is listed', async () => {
    const removals = [{ id: 'r1', kind: 'domains', domain_numbers: '[1,2]' }] as const
    const erasure = { what: 'domains', domainNumbers: [1, 2] }
    const noted = { r1: { isRedone: false, address: null } }
    const { done } = await redo({
      removals,
      noted,
      steps: [{ next: 'a' }, { next: 'files' }, { next: 'files', isWaiting: true }],
    })
    assert.deepEqual(done, [
      ['erase', erasure, undefined],
      ['erase', erasure, 'a'],
      ['erase', erasure, 'files'],
      ['redone', 'r1', undefined],
    ])
  })

  test('of a recipient are done by the address that was noted, and days that have it again are moved again', async () => {
    const { done, listed } = await redo({
      removals: [{ id: 'r1', kind: 'recipient', object: digest }],
      noted: { r1: { isRedone: false, address: 'Anna@a.test' } },
      daysOfAddress: ['2026-03-02', '2026-03-03'],
    })
    assert.deepEqual(done, [
      ['erase', { what: 'recipient', address: 'Anna@a.test' }, undefined],
      ['day', '2026-03-02', 0],
      ['redone', 'r1', 'Anna@a.test'],
    ])
    assert.deepEqual(listed, [])
  })

  test('of which only the digest is left are found among the recipients of all domains, page by page', async () => {
    const pages = {
      1: [['b@a.test'], ['c@a.test']],
      2: [['d@a.test'], ['e@a.test', 'Anna@a.test'], ['f@a.test']],
      3: [[]],
    }
    const { done, listed } = await redo({ removals: [{ id: 'r1', kind: 'recipient', object: digest }], pages })
    assert.deepEqual(listed, ['1 0', '1 1', '2 0', '2 1'])
    assert.deepEqual(done.at(-1), ['redone', 'r1', 'Anna@a.test'])
    const none = await redo({ removals: [{ id: 'r2', kind: 'recipient', object: digest }], pages })
    assert.deepEqual([none.done, none.listed.length], [[['redone', 'r2', undefined]], 6])
  })

  test('by a retention of a tenant are done again if it has moved on', async () => {
    const { done } = await redo({
      expired: [
        { id: 't', beforeMs: 5 },
        { id: 'uu', beforeMs: 6 },
        { id: 'vvv', beforeMs: 7 },
      ],
      expiredThere: [
        { id: 't', beforems: 5 },
        { id: 'uu', beforems: 5 },
      ],
    })
    assert.deepEqual(done, [
      ['erase', { what: 'expired', domainNumbers: [2, 7], beforeMs: 6 }, undefined],
      ['erase', { what: 'expired', domainNumbers: [3, 7], beforeMs: 7 }, undefined],
    ])
  })

  test('of whole days are done by the last of them', async () => {
    const { done } = await redo({ folded: '2026-03-02' })
    assert.deepEqual(done, [['removeBefore', Date.parse('2026-03-03')]])
  })

  test('are noted with their addresses while they are under way', async () => {
    const noted: unknown[] = []
    const control = {
      all: () => [
        { id: 'r1', address: 'a@a.test' },
        { id: 'r2', address: 'b@a.test' },
      ],
    }
    const record = { noteRemoval: async (...given: unknown[]) => void noted.push(given) }
    await noteRemovals({ control } as unknown as SourceFolder, record as unknown as MoveRecord)
    assert.deepEqual(noted, [
      ['r1', 'a@a.test'],
      ['r2', 'b@a.test'],
    ])
  })
})
