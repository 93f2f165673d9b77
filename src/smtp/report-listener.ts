/** Receives reports over SMTP: no relaying, no authentication, 250 only once the report is durable. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { callbackify, promisify } from 'node:util'
import type { Logger } from 'pino'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Clock } from '../lib/clock.ts'
import type { ReportResult } from '../reports/report-intake.ts'
import { type AcceptedDomains, isAccepted } from './accepted-domains.ts'
import { type SmtpClient, SmtpClients, TOO_MUCH_WORK } from './smtp-clients.ts'
import { SMTP_COSTS, SMTP_LIMITS } from './smtp-limits.ts'
import { SmtpRefusal, type TakeDependencies, takeReport } from './take-report.ts'

export interface ReportListenerOptions extends TakeDependencies {
  readonly host: string
  readonly port: number
  /** The host name in the greeting. */
  readonly name?: string | undefined
  /** PEM: private key, certificate, intermediate certificates. */
  readonly certificate?: string | undefined
  readonly accepted: AcceptedDomains
  readonly clock: Clock
  readonly logger: Logger
  readonly onTaken: (report: ReportResult) => void
}

export interface ReportListener {
  /** Such as 127.0.0.1:2525 */
  readonly address: string
  /** Stops accepting messages and completes those in progress. */
  close(): Promise<void>
}

type Done = (error?: Error | null) => void

export async function openReportListener(options: ReportListenerOptions): Promise<ReportListener> {
  const handlers = new SessionHandlers(options)
  const admit = callbackify((address: string, session: SMTPServerSession) => handlers.admit(address, session))
  const take = callbackify((stream: SMTPServerDataStream, session: SMTPServerSession) => handlers.take(stream, session))
  const server = new SMTPServer({
    ...(options.name !== undefined && { name: options.name }),
    ...(options.certificate !== undefined && { key: options.certificate, cert: options.certificate }),
    banner: 'Envelog',
    disabledCommands: ['AUTH', ...(options.certificate === undefined ? ['STARTTLS'] : [])],
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    size: SMTP_LIMITS.messageBytes,
    rejectOversized: true,
    maxRecipients: SMTP_LIMITS.recipientsPerMessage,
    maxCommandLength: SMTP_LIMITS.commandBytes,
    socketTimeout: SMTP_LIMITS.idleMs,
    closeTimeout: SMTP_LIMITS.closeMs,
    onClose: ({ id }) => handlers.clients.leave(id),
    onMailFrom: (_address, session, done) => handlers.begin(session, done),
    onRcptTo: ({ address }, session, done) => admit(address, session, done),
    onData: (stream, session, done) => take(stream, session, done),
  })
  // Errors of clients, such as disconnects and failed TLS handshakes.
  server.on('error', (error) => options.logger.debug({ err: error }, 'smtp'))
  limitConnections(server, handlers.clients)
  const charging = setInterval(() => handlers.chargeAll(server), SMTP_LIMITS.chargeEveryMs).unref()
  const listening = once(server.server, 'listening')
  server.listen({ host: options.host, port: options.port })
  await listening
  return {
    address: formatAddress(server.server.address() as AddressInfo),
    close() {
      clearInterval(charging)
      return closeServer(server, handlers)
    },
  }
}

/**
 * Refuses connections as soon as they are accepted. The library's own limit counts those that are being refused, so that one
 * client could keep it exhausted.
 */
function limitConnections(server: SMTPServer, clients: SmtpClients): void {
  const connect = server.connect.bind(server)
  server.connect = (socket, options) => {
    const id = randomUUID()
    const end = setTimeout(() => socket.destroy(), SMTP_LIMITS.connectionMs).unref()
    // Not at an event of the socket: STARTTLS removes all listeners from it.
    const refusal = clients.admit(id, socket.remoteAddress ?? '', socket, () => clearTimeout(end))
    if (refusal === undefined) {
      connect(socket, { ...options, id })
      return
    }
    clearTimeout(end)
    refuse(socket, refusal)
  }
}

function refuse(socket: Socket, text: string): void {
  socket.on('error', () => undefined)
  socket.end(`421 4.7.0 ${text}\r\n`, () => socket.destroy())
}

/** The client disconnected before its message was complete. */
const DISCONNECTED: readonly string[] = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']

/** Handlers for the stages of SMTP sessions. */
class SessionHandlers {
  readonly clients: SmtpClients
  readonly #options: ReportListenerOptions
  readonly #taking = new Set<string>()
  onIdle: ((sessionId: string) => void) | undefined

  constructor(options: ReportListenerOptions) {
    this.#options = options
    this.clients = new SmtpClients(options.clock)
  }

  isTaking(sessionId: string): boolean {
    return this.#taking.has(sessionId)
  }

  /** Disconnects clients whose network has used up its share of work, whatever they are doing. */
  chargeAll(server: SMTPServer): void {
    const spent = new Set(this.clients.chargeAll((id) => this.#taking.has(id)))
    if (spent.size === 0) return
    for (const connection of server.connections) if (spent.has(connection.id)) connection.send(421, TOO_MUCH_WORK)
  }

  begin(session: SMTPServerSession, done: Done): void {
    try {
      const { network } = this.#requireClient(session)
      const isAllowed = this.clients.takeMessage(network)
      done(isAllowed ? null : new SmtpRefusal(450, 'Too many messages from your network, try again later'))
    } catch (error) {
      done(this.#refusalOf(error))
    }
  }

  /** Resolves for accepted recipients. */
  async admit(address: string, session: SMTPServerSession): Promise<void> {
    try {
      const client = this.#requireClient(session)
      if (!this.clients.takeRecipient(client.network))
        throw new SmtpRefusal(450, 'Too many recipients from your network, try again later')
      if (await isAccepted(this.#options.accepted, address)) return
      client.refusedRecipients += 1
      if (client.refusedRecipients > SMTP_LIMITS.refusedRecipients)
        throw new SmtpRefusal(421, 'Too many recipients that are not accepted')
    } catch (error) {
      throw this.#refusalOf(error)
    }
    throw new SmtpRefusal(550, 'This server does not accept mail for this domain')
  }

  /** The client of a session, with what it has sent so far charged. Throws if its network has to wait. */
  #requireClient({ id }: SMTPServerSession): SmtpClient {
    const client = this.clients.find(id)
    if (!client) throw new SmtpRefusal(421, 'The connection is closed')
    this.clients.chargeReceived(client)
    if (this.clients.isSpent(client.network)) throw new SmtpRefusal(421, TOO_MUCH_WORK)
    return client
  }

  /** Returns the text of the reply, which does not reveal how the report was classified. */
  async take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { id, envelope } = session
    const recipients = envelope.rcptTo.map(({ address }) => address)
    try {
      const client = this.#requireClient(session)
      this.#taking.add(id)
      const sender = {
        network: client.network,
        charge: (workMs: number) => this.clients.charge(client.network, workMs),
        returnPath: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      }
      const report = await takeReport(this.#options, sender, recipients, this.#counted(client, stream))
      this.#options.onTaken(report)
      return 'Accepted'
    } catch (error) {
      throw this.#refusalOf(error)
    } finally {
      this.#taking.delete(id)
      this.onIdle?.(id)
    }
  }

  /** A message that does not end is cut off: the library would read it for as long as the connection lasts. */
  async *#counted(client: SmtpClient, stream: SMTPServerDataStream): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      client.contentBytes += chunk.length
      this.clients.charge(client.network, chunk.length * SMTP_COSTS.contentByte)
      if (bytes > 2 * SMTP_LIMITS.messageBytes) throw new SmtpRefusal(421, 'Message too large')
      yield chunk
    }
  }

  /** After any failure here the client keeps the message and retries, so it is not lost. */
  #refusalOf(error: unknown): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error
    const isDisconnected = error instanceof Error && 'code' in error && DISCONNECTED.includes(String(error.code))
    if (!isDisconnected) this.#options.logger.error({ err: error }, 'a report could not be received')
    return new SmtpRefusal(451, 'Internal error, try again later')
  }
}

/** Transactions in progress are completed and answered; all other clients get 421 at once. */
async function closeServer(server: SMTPServer, handlers: SessionHandlers): Promise<void> {
  const closed = promisify(server.close.bind(server))()
  const dismiss = (isSelected: (sessionId: string) => boolean) => {
    for (const connection of server.connections) if (isSelected(connection.id)) connection.send(421, 'Closing')
  }
  // After the reply to its message was sent.
  handlers.onIdle = (sessionId) => {
    setImmediate(() => dismiss((id) => id === sessionId))
  }
  dismiss((id) => !handlers.isTaking(id))
  await closed
}

function formatAddress({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
