/** Opens the service for a server, waiting for another process to release the data folder. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from './config/options.ts'
import { isFolderLocked } from './data-folder.ts'
import { openControlSocketPath } from './lib/control-socket.ts'
import { type OpenServiceOptions, openService, type Service } from './open-service.ts'

const POLL_MS = 50
/** Longer than a server takes to stop, and longer than a command holds the folder. */
const WAIT_MS = 30_000

/** Throws the errors of `openService`: `conflict` at once if a server runs on the folder, after `waitMs` if it stays locked. */
export async function openWhenFree(
  config: Config,
  options: OpenServiceOptions = {},
  waitMs = WAIT_MS,
): Promise<Service> {
  for (const deadlineMs = performance.now() + waitMs; ; await delay(POLL_MS)) {
    try {
      return await openService(config, { ...options })
    } catch (error) {
      if (!isFolderLocked(error) || performance.now() > deadlineMs || (await isServed(config.dataDir))) throw error
    }
  }
}

/** Whether a running server accepts connections there. A server that is starting or stopping does not, nor does a command. */
async function isServed(dataDir: string): Promise<boolean> {
  using location = openControlSocketPath(dataDir)
  const connection = connect(location.path)
  try {
    await once(connection, 'connect')
    return true
  } catch {
    return false
  } finally {
    connection.destroy()
  }
}
