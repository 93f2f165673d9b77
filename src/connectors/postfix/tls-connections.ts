/** The TLS connections of Postfix's clients: logged when a connection is made, without the queue id of a message. */
import type { LogReaderOptions } from '../maillog/log-reader.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import { type LoggedTls, type PostfixLine, parseTls } from './postfix-line.ts'
import type { QueuedMessage } from './queued-message.ts'

/** The last TLS connection of a process, and the message that was sent over it. */
interface TlsConnection extends LoggedTls {
  readonly queueId?: string
  readonly time: number
}

const FORGET_AFTER = 3600
const CONNECTIONS_MAX = 100_000

export class TlsConnections {
  readonly #connections: RememberedMap<TlsConnection>

  constructor(remembered: LogReaderOptions['remembered']) {
    this.#connections = new RememberedMap('tls ', remembered)
  }

  read(line: PostfixLine): void {
    const tls = line.pid === '' ? undefined : parseTls(line.words)
    if (tls) this.#connections.set(processOf(line), { ...tls, time: line.time })
  }

  /** The connection that this process made for this attempt, if it is to the relay of the line. */
  find(line: PostfixLine, relay: string, message: QueuedMessage): LoggedTls | undefined {
    const found = this.#connections.get(processOf(line))
    if (!found) return undefined
    const connection = { ...found, queueId: found.queueId ?? line.queueId ?? '' }
    const isOutdated = connection.queueId !== line.queueId || connection.time < (message.activeTime ?? 0)
    if (isOutdated) {
      this.#connections.delete(processOf(line))
      return undefined
    }
    this.#connections.set(processOf(line), connection)
    return connection.relay === relay ? connection : undefined
  }

  forgetBefore(time: number): void {
    this.#connections.forgetWhile((connection, size) => connection.time < time - FORGET_AFTER || size > CONNECTIONS_MAX)
  }

  takeChanges() {
    return this.#connections.takeChanges()
  }
}

function processOf({ host, instance, daemon, pid }: PostfixLine): string {
  return `${host} ${instance} ${daemon} ${pid}`
}
