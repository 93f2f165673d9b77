/** Receives one message: stored when this resolves, rejected when it throws. */
import { AppError } from '../lib/app-error.ts'
import { GrowingBuffer } from '../lib/growing-buffer.ts'
import { REPORT_BYTES_MAX, type ReportIntake, type ReportResult } from '../reports/report-intake.ts'
import { SMTP_LIMITS } from './smtp-limits.ts'

/** A reply other than 2xx (RFC 5321 section 4.2.1). Its text is sent to the client. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  readonly responseCode: number

  constructor(responseCode: number, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.responseCode = responseCode
  }
}

export interface TakeDependencies {
  readonly reports: Pick<ReportIntake, 'examine'>
}

export interface Sender {
  /** The client's network. */
  readonly network: string
  /** Called with an estimate of the processor time that the message took, in milliseconds. */
  readonly charge: (workMs: number) => void
  /** The envelope sender. */
  readonly returnPath: string
}

/**
 * The envelope is added as Return-Path and Delivered-To headers, as on delivery to a mailbox, so that a quarantined message
 * is complete and can be replayed.
 */
export async function takeReport(
  { reports }: TakeDependencies,
  { network, charge, returnPath }: Sender,
  recipients: readonly string[],
  message: AsyncIterable<Buffer>,
): Promise<ReportResult> {
  const deliveredTo = recipients.map((address) => `Delivered-To: <${address}>\r\n`)
  const trace = Buffer.from([`Return-Path: <${returnPath}>\r\n`, ...deliveredTo].join(''))
  const payload = await readBeginning(trace, message)
  try {
    const examined = await reports.examine(payload, { kind: 'smtp', name: network })
    charge(examined.workMs)
    // Refusing loses nothing, because the sender is informed, and bounds what strangers can store here.
    if (!examined.isTied && examined.kind === 'unknown')
      throw new SmtpRefusal(554, 'Not a delivery status notification or a feedback report')
    return await examined.store()
  } catch (error) {
    if (error instanceof AppError && error.code === 'quota_exceeded')
      throw new SmtpRefusal(452, 'Too many reports in quarantine, try again later', { cause: error })
    if (error instanceof AppError)
      throw new SmtpRefusal(451, 'Cannot store the message at the moment, try again later', { cause: error })
    throw error
  }
}

/** Reads the message to its end, although only the beginning is kept: the protocol allows no earlier reply. */
async function readBeginning(trace: Buffer, message: AsyncIterable<Buffer>): Promise<Buffer> {
  const beginning = new GrowingBuffer(0)
  beginning.add(trace)
  let bytes = trace.length
  for await (const chunk of message) {
    if (bytes < REPORT_BYTES_MAX) beginning.add(chunk.subarray(0, REPORT_BYTES_MAX - bytes))
    bytes += chunk.length
  }
  if (bytes > SMTP_LIMITS.messageBytes) throw new SmtpRefusal(552, 'Message too large')
  return beginning.bytes
}
