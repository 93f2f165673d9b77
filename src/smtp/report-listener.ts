/** Receives reports over SMTP: no relaying, no authentication, 250 only once the report is durable. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { callbackify, promisify } from 'node:util'
import type { Logger } from 'pino'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Clock } from '../lib/clock.ts'
import { TokenBuckets } from '../lib/turns/token-buckets.ts'
import type { ReportResult } from '../reports/report-intake.ts'
import { type AcceptedDomains, isAccepted } from './accepted-domains.ts'
import { SMTP_LIMITS } from './smtp-limits.ts'
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
  const admit = callbackify((address: string) => handlers.admit(address))
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
    maxClients: SMTP_LIMITS.connections,
    maxRecipients: SMTP_LIMITS.recipients,
    maxCommandLength: SMTP_LIMITS.commandBytes,
    socketTimeout: SMTP_LIMITS.idleMs,
    closeTimeout: SMTP_LIMITS.closeMs,
    onConnect: (session, done) => handlers.connect(session, done),
    onClose: (session) => handlers.disconnect(session),
    onMailFrom: (_address, session, done) => handlers.begin(session, done),
    onRcptTo: ({ address }, _session, done) => admit(address, done),
    onData: (stream, session, done) => take(stream, session, done),
  })
  // Errors of clients, such as disconnects and failed TLS handshakes.
  server.on('error', (error) => options.logger.debug({ err: error }, 'smtp'))
  server.server.on('connection', (socket) => {
    const end = setTimeout(() => socket.destroy(), SMTP_LIMITS.connectionMs).unref()
    socket.once('close', () => clearTimeout(end))
  })
  const listening = once(server.server, 'listening')
  server.listen({ host: options.host, port: options.port })
  await listening
  return {
    address: formatAddress(server.server.address() as AddressInfo),
    close: () => closeServer(server, handlers),
  }
}

/** The client disconnected before its message was complete. */
const DISCONNECTED: readonly string[] = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']

/** Handlers for the stages of SMTP sessions. */
class SessionHandlers {
  readonly #options: ReportListenerOptions
  readonly #rate = new TokenBuckets(SMTP_LIMITS.messages)
  /** Client addresses by session id. */
  readonly #clients = new Map<string, string>()
  readonly #taking = new Set<string>()
  onIdle: ((sessionId: string) => void) | undefined

  constructor(options: ReportListenerOptions) {
    this.#options = options
  }

  isTaking(sessionId: string): boolean {
    return this.#taking.has(sessionId)
  }

  connect({ id, remoteAddress }: SMTPServerSession, done: Done): void {
    this.#clients.set(id, remoteAddress)
    const count = [...this.#clients.values()].filter((address) => address === remoteAddress).length
    done(
      count > SMTP_LIMITS.connectionsPerClient ? new SmtpRefusal(421, 'Too many connections from your address') : null,
    )
  }

  disconnect({ id }: SMTPServerSession): void {
    this.#clients.delete(id)
  }

  begin({ remoteAddress }: SMTPServerSession, done: Done): void {
    const isAllowed = this.#rate.take(remoteAddress, this.#options.clock())
    done(isAllowed ? null : new SmtpRefusal(450, 'Too many messages from your address, try again later'))
  }

  /** Resolves for accepted recipients. */
  async admit(address: string): Promise<void> {
    try {
      if (await isAccepted(this.#options.accepted, address)) return
    } catch (error) {
      throw this.#refusalOf(error)
    }
    throw new SmtpRefusal(550, 'This server does not accept mail for this domain')
  }

  /** Returns the text of the reply, which does not reveal how the report was classified. */
  async take(stream: SMTPServerDataStream, { id, envelope }: SMTPServerSession): Promise<string> {
    this.#taking.add(id)
    const recipients = envelope.rcptTo.map(({ address }) => address)
    try {
      const report = await takeReport(this.#options, recipients, stream)
      this.#options.onTaken(report)
      return 'Accepted'
    } catch (error) {
      throw this.#refusalOf(error)
    } finally {
      this.#taking.delete(id)
      this.onIdle?.(id)
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
