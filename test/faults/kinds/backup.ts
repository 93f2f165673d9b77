/** A backup taken while events arrive, restored and compared with the record. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Ledger } from '../../harness/log/ledger.ts'
import type { Kind } from '../lab/bench.ts'
import { checkLog } from '../lab/check-log.ts'
import { TENANTS } from '../lab/engine.ts'
import { LabClient } from '../lab/lab-client.ts'
import { Scene } from '../lab/scene.ts'

export const BACKED_UP: Kind = {
  name: 'backup',
  promise:
    'a backup under load ends, and restored it has everything acknowledged before it began, and nothing that was not sent',
  rounds: { quick: 1, long: 20 },
  roundsPerScene: 5,
  async runScene(bench) {
    const { site, random } = bench
    await using scene = new Scene(bench)
    for (let round = 1; round <= bench.rounds; round++) {
      await scene.start()
      for (let batches = 0; batches < 5; batches++) await scene.store(scene.traffic.nextBatch(200, [0, 1, 2]))
      const before = new Set(scene.ledger.acknowledged)
      const { writers, answered } = scene.writeUntilGone([0, 1, 2, 2 + round], 1)
      await Promise.race([answered, writers])
      const copy = join(bench.folder, `backup-${round}`)
      const { exitCode, stderr } = await site.cli('backup', copy)
      assert.equal(exitCode, 0, stderr)
      // Killed, not stopped: the copy does not depend on how the original ends.
      await scene.kill()
      await writers

      const folder = join(bench.folder, `restored-${round}`)
      mkdirSync(folder)
      const restored = await bench.engine.restore(site, copy, folder)
      const owed = new Ledger(
        TENANTS.flatMap(({ domains }) => domains),
        scene.window,
      )
      for (const batch of [...scene.ledger.acknowledged, ...scene.ledger.unanswered]) {
        if (before.has(batch)) owed.acknowledge(batch)
        else owed.expect(batch)
      }
      const server = await restored.start()
      try {
        await checkLog(new LabClient(server.address, restored.keys), owed, scene.window, random)
        assert.equal(await server.stop(), 0)
      } finally {
        await server.kill()
      }
      await scene.recount(restored)
      for (const path of [copy, folder]) rmSync(path, { recursive: true })
      bench.onRound()
    }
    await scene.finish()
  },
}
