/** Days that are missing and a control.db that does not fit, as an operator meets them: bin/envelog as a process. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../harness/programs/run-cli.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const HOUR = 3600

function openInstallation() {
  const folder = openTemporaryFolder()
  const dataDir = join(folder.path, 'data')
  return {
    dataDir,
    run: (...args: string[]) => runCli(args, { cwd: folder.path }),
    json: async (...args: string[]): Promise<Record<string, unknown>> => {
      const { exitCode, stdout, stderr } = await runCli([...args, '--json'], { cwd: folder.path })
      assert.equal(exitCode, 0, stderr)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    /** Stores an event of the domain, this many hours ago. */
    store: async (domain: string, hoursAgo = 0): Promise<void> => {
      const timestamp = Math.floor(Date.now() / 1000) - hoursAgo * HOUR
      const event = { id: `m-${domain}-${hoursAgo}`, timestamp, type: 'Delivery', domain_name: domain }
      const input = JSON.stringify({ ...event, recipient: 'u@example.org' })
      assert.equal((await runCli(['import', '-', '--json'], { cwd: folder.path, input })).exitCode, 0)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('a missing day is named by the server, by recount and by days list, and accepted with days accept', async () => {
  using installation = openInstallation()
  const { dataDir, json, run, store } = installation
  await json('tenant', 'create', 'Acme')
  await json('domain', 'add', 'acme.test', '--tenant', 'Acme', '--active')
  await store('acme.test')
  await store('acme.test', 48)
  const [oldest = ''] = readdirSync(join(dataDir, 'events')).filter((name) => name.endsWith('.db'))
  rmSync(join(dataDir, 'events', oldest))
  const day = oldest.slice(0, 10)

  const listed = await run('days', 'list')
  assert.equal(listed.exitCode, 0)
  assert.match(listed.stdout, new RegExp(`^${day} +- +- +set aside: missing$`, 'm'))
  assert.match(listed.stderr, new RegExp(`${day} is set aside \\(missing\\): events/${oldest} is missing`))
  const recounted = await run('recount')
  assert.equal(recounted.exitCode, 1)
  assert.match(recounted.stdout, new RegExp(`${day}: .*is missing; it had at least 1 event`))

  const server = await serveProcess({ dataDir })
  await json('days', 'accept', day)
  assert.deepEqual((await json('days', 'list'))['setAside'], [])
  const again = await run('days', 'accept', day)
  assert.equal(again.exitCode, 1)
  assert.match(again.stderr, /is not set aside/)
  await server.stop()
  await store('acme.test', 48)
  assert.deepEqual(await json('recount'), { ok: true, differences: [] })
})

test('with an older control.db the server and every command refuse to start; days adopt makes it usable', async () => {
  using installation = openInstallation()
  const { dataDir, json, run, store } = installation
  await json('tenant', 'create', 'Acme')
  await json('domain', 'add', 'acme.test', '--tenant', 'Acme', '--active')
  await store('acme.test')
  const control = join(dataDir, 'control.db')
  copyFileSync(control, `${control}.old`)
  await json('domain', 'add', 'later.test', '--tenant', 'Acme', '--active')
  await store('later.test')
  copyFileSync(`${control}.old`, control)
  for (const args of [['serve'], ['recount'], ['tenant', 'create', 'Other']]) {
    const { exitCode, stderr } = await run(...args)
    assert.equal(exitCode, 1)
    assert.match(
      stderr,
      /^envelog: control\.db is older than the events: .*refers to domain 2.*bin\/envelog days adopt\n$/,
    )
  }
  assert.deepEqual(await json('days', 'adopt'), { days: 1, highestNumber: 2 })
  assert.deepEqual(await json('recount'), { ok: true, differences: [] })
})
