/** Takes reports over SMTP: no relaying, no logins, 250 only when what was sent is on the disk. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { callbackify, promisify } from 'node:util'
import type { Logger } from 'pino'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Clock } from '../lib/clock.ts'
import { TokenBuckets } from '../lib/token-buckets.ts'
import type { ReportResult } from '../reports/report-intake.ts'
import { type AcceptedDomains, isAccepted } from './accepted-domains.ts'
import { SMTP_LIMITS } from './smtp-limits.ts'
import { SmtpRefusal, type TakeDependencies, takeReport } from './take-report.ts'

export interface ReportListenerOptions extends TakeDependencies {
  readonly host: string
  readonly port: number
  /** What it calls itself. */
  readonly name?: string | undefined
  /** PEM: private key, certificate, issuers. */
  readonly certificate?: string | undefined
  readonly accepted: AcceptedDomains
  readonly clock: Clock
  readonly logger: Logger
  readonly onTaken: (report: ReportResult) => void
}

export interface ReportListener {
  /** Such as 127.0.0.1:2525 */
  readonly address: string
  /** Takes no more, finishes what is being taken. */
  close(): Promise<void>
}

type Done = (error?: Error | null) => void

export async function openReportListener(options: ReportListenerOptions): Promise<ReportListener> {
  const desk = new Desk(options)
  const admit = callbackify((address: string) => desk.admit(address))
  const take = callbackify((stream: SMTPServerDataStream, session: SMTPServerSession) => desk.take(stream, session))
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
    onConnect: (session, done) => desk.connect(session, done),
    onClose: (session) => desk.disconnect(session),
    onMailFrom: (_address, session, done) => desk.begin(session, done),
    onRcptTo: ({ address }, _session, done) => admit(address, done),
    onData: (stream, session, done) => take(stream, session, done),
  })
  // Clients that break off, or speak no TLS: theirs to notice.
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
    close: () => closeServer(server, desk),
  }
}

/** The client went away before its message was whole. */
const BROKEN_OFF: readonly string[] = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']

/** Who is connected, who sends what, and what becomes of it. */
class Desk {
  readonly #options: ReportListenerOptions
  readonly #rate = new TokenBuckets(SMTP_LIMITS.messages)
  /** Addresses by session. */
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
    done(count > SMTP_LIMITS.connectionsPerClient ? new SmtpRefusal(421, 'Too many connections from you') : null)
  }

  disconnect({ id }: SMTPServerSession): void {
    this.#clients.delete(id)
  }

  begin({ remoteAddress }: SMTPServerSession, done: Done): void {
    const isAllowed = this.#rate.take(remoteAddress, this.#options.clock())
    done(isAllowed ? null : new SmtpRefusal(450, 'Too many messages from you, try again later'))
  }

  /** Resolves for recipients whose mail is taken. */
  async admit(address: string): Promise<void> {
    try {
      if (await isAccepted(this.#options.accepted, address)) return
    } catch (error) {
      throw this.#refusalOf(error)
    }
    throw new SmtpRefusal(550, 'No mail is taken for this domain')
  }

  /** The text of the answer. It says nothing about what a report was found to be. */
  async take(stream: SMTPServerDataStream, { id, envelope }: SMTPServerSession): Promise<string> {
    this.#taking.add(id)
    const recipients = envelope.rcptTo.map(({ address }) => address)
    try {
      const report = await takeReport(this.#options, recipients, stream)
      this.#options.onTaken(report)
      return 'Taken'
    } catch (error) {
      throw this.#refusalOf(error)
    } finally {
      this.#taking.delete(id)
      this.onIdle?.(id)
    }
  }

  /** Whatever goes wrong here, the message is not lost: who sent it keeps it. */
  #refusalOf(error: unknown): SmtpRefusal {
    if (error instanceof SmtpRefusal) return error
    const isBrokenOff = error instanceof Error && 'code' in error && BROKEN_OFF.includes(String(error.code))
    if (!isBrokenOff) this.#options.logger.error({ err: error }, 'a report could not be taken')
    return new SmtpRefusal(451, 'Something went wrong here, try again later')
  }
}

/** What is being taken is finished and answered; everybody else is told at once. */
async function closeServer(server: SMTPServer, desk: Desk): Promise<void> {
  const closed = promisify(server.close.bind(server))()
  const dismiss = (isMeant: (sessionId: string) => boolean) => {
    for (const connection of server.connections) if (isMeant(connection.id)) connection.send(421, 'Closing')
  }
  // After the answer to what it sent.
  desk.onIdle = (sessionId) => {
    setImmediate(() => dismiss((id) => id === sessionId))
  }
  dismiss((id) => !desk.isTaking(id))
  await closed
}

function formatAddress({ address, family, port }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
