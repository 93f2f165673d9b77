/** Which servers of the cluster do not answer: a statement for all of them waits for these. */
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'

const EVERY_MS = 10_000

/** For the operator: empty also if it is not known. */
export async function listSilent(clickHouse: ClickHouse): Promise<readonly string[]> {
  const members = await Members.list(clickHouse).catch(() => undefined)
  return (await members?.listSilent()) ?? []
}

/** Until it is disposed of. `onWaiting` is called when they are others than before. */
export function watchSilent(
  clickHouse: ClickHouse,
  onWaiting: ((servers: string) => void) | undefined,
  everyMs = EVERY_MS,
): Disposable {
  let known = ''
  const look = async () => {
    const silent = (await listSilent(clickHouse)).join(', ')
    if (silent !== '' && silent !== known) onWaiting?.(silent)
    known = silent
  }
  const timer = setInterval(() => void look(), everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
