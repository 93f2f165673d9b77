/** The numbered .sql files of an engine. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** Reads `NNNN_what_it_does.sql` files; numbers start at 1 and have no gaps. */
export function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name, index) => {
    const number = Number.parseInt(name.slice(0, 4), 10)
    if (number !== index + 1) throw new Error(`migration ${name} in ${folder}: expected number ${index + 1}`)
    const sql = readFileSync(join(folder, name), 'utf8')
    return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}
