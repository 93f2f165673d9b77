/**
 * The data folder of this machine. A server that runs on it is asked through its socket. If none runs, this process takes the
 * folder's lock and opens the same app itself.
 */
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/options.ts'
import { AppError } from '../../lib/app-error.ts'
import { LOCAL_USER_HEADER, openControlSocketPath, userName } from '../../lib/control-socket.ts'
import { type Answer, exchangeHttp, type Request, type Transport } from './exchange.ts'
import type { LocalFolder } from './local-folder.ts'

const LOCK_POLL_MS = 50
const LOCK_WAIT_MS = 30_000
/** Interval at which a long import or a busy tail releases the folder, so that a server can start. */
const HOLD_MS_MAX = 10_000
const PAUSE_MS = 4 * LOCK_POLL_MS

export class FolderTransport implements Transport {
  readonly name: string
  readonly isRemote = false
  readonly #config: Config
  readonly #holdMsMax: number
  #folder: LocalFolder | undefined
  #openedAtMs = 0

  constructor(config: Config, holdMsMax: number = HOLD_MS_MAX) {
    this.#config = config
    this.#holdMsMax = holdMsMax
    this.name = `The server on ${resolve(config.dataDir)}`
  }

  async send(asked: Request): Promise<Answer> {
    // For the audit log.
    const request = { ...asked, headers: { ...asked.headers, [LOCAL_USER_HEADER]: userName() } }
    if (this.#folder && performance.now() - this.#openedAtMs > this.#holdMsMax) {
      await this.release()
      await delay(PAUSE_MS)
    }
    for (const deadlineMs = performance.now() + LOCK_WAIT_MS; ; await delay(LOCK_POLL_MS)) {
      const answer = await (this.#folder?.ask(request) ?? this.#askServer(request))
      if (answer) return answer
      const folder = await this.#open(request.mayCreate)
      if (folder) return folder.ask(request)
      // Locked: a server is starting or stopping, or another command is running.
      if (performance.now() > deadlineMs || request.signal?.aborted) throw inUse(this.#config)
    }
  }

  async release(): Promise<void> {
    const folder = this.#folder
    this.#folder = undefined
    await folder?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** Undefined if no server runs, or none any more. */
  async #askServer(request: Request): Promise<Answer | undefined> {
    const { dataDir } = this.#config
    try {
      using socket = openControlSocketPath(dataDir)
      // Otherwise Node asks the server to close the connection, and every answer says that it closes.
      const headers = { ...request.headers, connection: 'keep-alive' }
      const answer = await exchangeHttp({ ...request, headers }, { socketPath: socket.path, agent: false })
      if (!isClosing(answer)) return answer
      answer.body.resume()
      return undefined
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(code)) return undefined
      if (code === 'EACCES') throw notAllowed(dataDir, error)
      if (request.isRepeatable && !request.signal?.aborted) return undefined
      throw new AppError('storage_unavailable', `${this.name} closed the connection`, { cause: error })
    }
  }

  /** Undefined while another process holds the lock. */
  async #open(mayCreate: boolean): Promise<LocalFolder | undefined> {
    // Loaded only here: storage and app take longer to load than a running server takes to answer.
    const { openLocalFolder } = await import('./local-folder.ts')
    this.#folder = await openLocalFolder(this.#config, mayCreate)
    this.#openedAtMs = performance.now()
    return this.#folder
  }
}

/** A server that is shutting down has done nothing of the request. Other refusals keep the connection. */
function isClosing({ status, headers }: Answer): boolean {
  return status === 503 && headers.connection === 'close'
}

function inUse({ dataDir }: Config): AppError {
  return new AppError(
    'storage_unavailable',
    `The data folder ${resolve(dataDir)} is in use by another process that does not answer. Try again when it has ended.`,
  )
}

function notAllowed(dataDir: string, cause: unknown): AppError {
  const advice = 'run this as the user that runs the server'
  return new AppError('forbidden', `This user may not use the data folder ${resolve(dataDir)}: ${advice}.`, { cause })
}
