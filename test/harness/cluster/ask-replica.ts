/** A question to one server of a cluster, about what it has itself. */
import assert from 'node:assert/strict'

export type Row = readonly string[]

export async function ask(url: string, database: string, query: string): Promise<readonly Row[]> {
  const response = await fetch(`${url}/?database=${database}&default_format=TabSeparated`, {
    method: 'POST',
    body: query,
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}
