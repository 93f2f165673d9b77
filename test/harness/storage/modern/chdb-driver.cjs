/** Runs statements of ClickHouse in this process: one JSON text per line in, one JSON object per line out. */
const { createInterface } = require('node:readline')
const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

const chdb = require(join(process.argv[2] ?? '', 'chdb_node.node'))
const folder = mkdtempSync(join(tmpdir(), 'envelog-chdb-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const connection = chdb.CreateConnection(folder)

createInterface({ input: process.stdin })
  .on('line', (line) => {
    let answer
    try {
      answer = { text: chdb.QueryWithConnection(connection, JSON.parse(line), 'TabSeparated') }
    } catch (error) {
      answer = { error: error instanceof Error ? error.message : String(error) }
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  })
  // The library's threads would keep the process.
  .on('close', () => process.exit(0))
