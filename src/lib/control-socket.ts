/** Where a running server answers the commands of its own machine: a Unix socket in the data folder. */
import { closeSync, constants, openSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

export const CONTROL_SOCKET = 'control.sock'

/** Names the user who runs a command. Believed only from local callers. */
export const LOCAL_USER_HEADER = 'x-envelog-user'

/** unix(7): 108 bytes with the final zero on Linux, 104 elsewhere. */
const PATH_BYTES_MAX = 103

export interface ControlSocketPath extends Disposable {
  /** Valid until disposed of. To be passed to `listen` or `connect` at once. */
  readonly path: string
}

/** A path that is too long for a socket is shortened through the open folder. Throws what opening the folder throws. */
export function openControlSocketPath(dataDir: string): ControlSocketPath {
  const path = join(dataDir, CONTROL_SOCKET)
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, [Symbol.dispose]: () => undefined }
  const folder = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY)
  return { path: `/proc/self/fd/${folder}/${CONTROL_SOCKET}`, [Symbol.dispose]: () => closeSync(folder) }
}

/** The user of this process, or its number if the system has no name for it. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.geteuid?.() ?? '?'}`
  }
}
