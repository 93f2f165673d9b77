/**
 * `migrate-storage` on a real cluster: the server of the old folder runs, the command is killed at random moments, and in the end both
 * logs are equal. `npm run test:faults -- --only move` kills it more often.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { KilledMoves } from '../harness/programs/killed-moves.ts'

const ROUNDS = 3
const ERASED = 'person1@example.net'

describe('envelog migrate-storage', () => {
  let moves: KilledMoves
  before(async () => {
    moves = await KilledMoves.open(createSeededRandom(Date.now() % 2 ** 31))
  })
  after(() => moves?.[Symbol.asyncDispose]())

  test('a secret that is not that of the data is refused before anything is moved', async () => {
    const { scene } = moves
    const secret = randomBytes(32).toString('hex')
    const { exitCode, stderr } = await scene.moveWith({ ENVELOG_SECRET: secret })
    assert.equal(exitCode, 1)
    assert.match(stderr, /does not match the data/)
    // What it tells to do makes the text of the secret.
    const text = execFileSync('sh', ['-c', stderr.slice(stderr.indexOf('od -An')).replace('> FILE', '')], {
      encoding: 'utf8',
    })
    assert.equal(text, readFileSync(join(scene.installation.dataDir, 'master.key'), 'hex'))
  })

  test('killed at random moments while events arrive, it moves everything that has arrived', async () => {
    for (let round = 0; round < ROUNDS; round++) await moves.killWhileServed()
    const { exitCode, isFinished, stderr } = await moves.scene.move()
    assert.deepEqual({ exitCode, isFinished }, { exitCode: 3, isFinished: false }, stderr)
    await moves.send()
  })

  test('new servers are refused until it is finished', async () => {
    const { exitCode, stderr } = await moves.scene.cli('tenant', 'list')
    assert.equal(exitCode, 1)
    assert.match(stderr, /the move is not finished/)
  })

  test('when the old server is stopped, it compares both storages and finishes', async () => {
    const erased = await moves.scene.installation.cli('erase', ERASED, '--yes')
    assert.equal(erased.exitCode, 0, erased.stderr)
    moves.ledger.erase(({ recipient }) => recipient === ERASED)
    assert.equal(await moves.server.stop(), 0)
    const { exitCode, isFinished, comparison, stderr } = await moves.scene.move()
    assert.deepEqual(comparison?.differences, [], stderr)
    assert.deepEqual({ exitCode, isFinished }, { exitCode: 0, isFinished: true })
    assert.ok(comparison?.pages === 60 && comparison.events > 0)
  })

  test('the old folder is not served any more, and a second move changes nothing', async () => {
    const { exitCode, stderr } = await moves.scene.installation.cli('tenant', 'list')
    assert.equal(exitCode, 1)
    assert.match(stderr, /was moved to ClickHouse/)
    const again = await moves.scene.move()
    assert.deepEqual([again.exitCode, again.isFinished, again.stored], [0, true, undefined], again.stderr)
    assert.ok(Date.parse(again.finishedAt ?? '') <= Date.now())
  })

  test('a new server accepts the same keys, lists everything that was acknowledged once, and knows what is sent again', async () => {
    await using moved = await moves.scene.startNew()
    const client = new LogClient(moved.address, moves.scene.installation)
    await moves.ledger.verify(client)
    // Erased events that are sent again are stored again.
    const [first = []] = moves.ledger.acknowledged
    const left = first.filter(({ recipient }) => recipient !== ERASED)
    assert.ok(left.length < first.length)
    assert.equal((await client.ingest(first)).duplicates, left.length)
  })
})
