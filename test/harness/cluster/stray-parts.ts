/**
 * Parts that only one replica has. If ZooKeeper is lost while ClickHouse announces a part there, the part stays on that replica; the batch is
 * inserted again, so the replica has its rows twice until a merge covers the part, or ClickHouse looks at it after five minutes. Lists treat
 * rows with the same arrival number as one event; counts of that replica are too high meanwhile.
 */
import { ask, type Row } from './ask-replica.ts'

/** Returns the names of the tables that had such parts. Does what docs/scaling.md advises. */
export async function dropStrayParts(url: string, database: string): Promise<readonly string[]> {
  const strays = await listStrayParts(url, database)
  const tables = [...new Set(strays.map(([table]) => table ?? ''))]
  for (const table of tables) await ask(url, database, `SYSTEM RESTART REPLICA ${database}.${table}`)
  return tables
}

/** Table, name, rows. */
async function listStrayParts(url: string, database: string): Promise<readonly Row[]> {
  const replicas = `SELECT table, replica_path FROM system.replicas WHERE database = '${database}'`
  const found = await Promise.all(
    (await ask(url, database, replicas)).map(([table, path]) =>
      ask(
        url,
        database,
        `SELECT table, name, rows FROM system.parts
         WHERE database = '${database}' AND table = '${table}' AND active
           AND name NOT IN (SELECT name FROM system.zookeeper WHERE path = '${path}/parts')`,
      ),
    ),
  )
  return found.flat()
}
