import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { explainUnfinished } from './explain-unfinished.ts'
import { toThrown } from './server/clickhouse-failure.ts'

test('a statement that a server of the cluster has not executed is explained, with the servers that do not answer', async () => {
  const text =
    'Code: 159, e.displayText() = DB::Exception: Watching task /clickhouse/task_queue/ddl/query-0000000220 is executing longer than distributed_ddl_task_timeout (=5) seconds. There are 1 unfinished hosts (0 of them are currently active), they are going to execute the query in background, e.what() = DB::Exception'
  const error = toThrown(new Error(text))
  const explained = await explainUnfinished(error, async () => ['ch2:9000'])
  assert.ok(explained instanceof AppError)
  assert.equal(explained.code, 'storage_unavailable')
  assert.match(
    explained.message,
    /^Not all ClickHouse servers .* 1 unfinished hosts .* These do not answer: ch2:9000\. .* run the command again/,
  )
  const unknown = await explainUnfinished(error, async () => [])
  assert.ok(unknown instanceof AppError)
  assert.doesNotMatch(unknown.message, /do not answer/)
})

test('other errors stay as they are, and nobody is asked about them', async () => {
  for (const error of [new Error('no'), new AppError('conflict', 'no'), toThrown(new Error('Code: 242. read-only'))])
    assert.equal(await explainUnfinished(error, () => assert.fail()), error)
})
