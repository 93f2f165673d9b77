import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../test/harness/temporary-folder.ts'
import { loadConfig } from './config/load-config.ts'
import { CONTROL_SOCKET } from './lib/control-socket.ts'
import { openService } from './open-service.ts'
import { openWhenFree } from './open-when-free.ts'

const configOf = (folder: string) => loadConfig({ ENVELOG_DATA_DIR: join(folder, 'data') })

test('a server waits until a command or a stopping server releases the data folder', async () => {
  using folder = openTemporaryFolder()
  const config = configOf(folder.path)
  const command = await openService(config)
  const opening = openWhenFree(config)
  await command.close()
  await (await opening).close()
})

test('it does not wait for a running server, and never without a limit', async () => {
  using folder = openTemporaryFolder()
  const config = configOf(folder.path)
  const other = await openService(config)
  const refusal = /Another Envelog server is using the data folder/
  await assert.rejects(openWhenFree(config, {}, 0), refusal)
  const socket = createServer().listen(join(config.dataDir, CONTROL_SOCKET))
  await once(socket, 'listening')
  // A wait that this test would not outlive.
  await assert.rejects(openWhenFree(config, {}, 10 * 60_000), refusal)
  socket.close()
  await other.close()
})

test('a problem with the folder itself is reported at once', async () => {
  using folder = openTemporaryFolder()
  const config = configOf(folder.path)
  await (await openService(config)).close()
  await assert.rejects(
    openWhenFree({ ...config, dataDir: join(config.dataDir, 'control.db') }, {}, 10 * 60_000),
    /cannot be used/,
  )
})
