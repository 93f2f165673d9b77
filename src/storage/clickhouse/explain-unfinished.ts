/** Says which servers of a cluster have not executed a statement that is for all of them, which is what stops most changes of tables. */
import { AppError } from '../../lib/app-error.ts'
import { exceptionCodeOf } from './server/clickhouse-failure.ts'

/** Of ErrorCodes.cpp: a statement for all servers was not executed by all in time. */
const TIMEOUT_EXCEEDED = 159

/** Other errors are returned as they are. `listSilent`: servers that do not answer, as far as that is known. */
export async function explainUnfinished(
  error: unknown,
  listSilent: () => Promise<readonly string[]>,
): Promise<unknown> {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error) || exceptionCodeOf(cause) !== TIMEOUT_EXCEEDED) return error
  const silent = await listSilent()
  const missing = silent.length === 0 ? '' : ` These do not answer: ${silent.join(', ')}.`
  return new AppError(
    'storage_unavailable',
    `Not all ClickHouse servers of the cluster have executed a statement in time (${cause.message}).${missing} Check that all of them and ZooKeeper or Keeper run, and run the command again: it continues where it stopped.`,
    { cause },
  )
}
