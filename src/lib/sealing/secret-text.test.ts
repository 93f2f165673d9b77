import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { parseSecrets, readSecrets } from './secret-text.ts'

test('secrets are 64 hexadecimal digits each, separated by line ends, spaces or commas', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]
  assert.deepEqual(parseSecrets(`${one.toString('hex')}\n`), [one])
  const text = `${one.toString('hex').toUpperCase()}, ${two.toString('hex')}\r\n\n`
  assert.deepEqual(parseSecrets(text), [one, two])
})

test('anything else is refused with words that repeat nothing of it', () => {
  const good = randomBytes(32).toString('hex')
  for (const [text, problem] of [
    ['', 'is empty'],
    [' \n', 'is empty'],
    [good.slice(1), 'is not 64 hexadecimal digits'],
    [`${good}0`, 'is not 64 hexadecimal digits'],
    [`${good}\n# my secret`, 'is not 64 hexadecimal digits'],
    [randomBytes(32).toString('base64'), 'is not 64 hexadecimal digits'],
    ['0'.repeat(64), 'is not random'],
    ['deadbeef'.repeat(8), 'is not random'],
  ] as const) {
    assert.throws(() => parseSecrets(text), { message: problem }, text)
  }
})

test('a folder, a missing file and a large file are refused', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'secret')
  assert.throws(() => readSecrets(path), { code: 'ENOENT' })
  mkdirSync(path)
  assert.throws(() => readSecrets(path), /is not a file/)
  const large = join(folder.path, 'large')
  writeFileSync(large, Buffer.alloc(5000))
  assert.throws(() => readSecrets(large), /has 5000 bytes/)
})
