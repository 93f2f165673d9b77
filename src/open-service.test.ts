import assert from 'node:assert/strict'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../test/harness/temporary-folder.ts'
import { loadConfig } from './config/load-config.ts'
import { openService } from './open-service.ts'

const isRoot = process.geteuid?.() === 0

test("root does not open another user's data: its new files would lock that user out", {
  skip: !isRoot,
}, async () => {
  using folder = openTemporaryFolder()
  const config = loadConfig({ ENVELOG_DATA_DIR: folder.path })
  await (await openService(config)).close()
  await (await openService(config)).close()
  chownSync(join(folder.path, 'control.db'), 12_345, 12_345)
  await assert.rejects(openService(config), /belongs to another user \(uid 12345\)\. Run this command as that user/)
})
