/** One message from the network: stored when this resolves, refused when it throws. */
import type { QuarantineStore } from '../events/quarantine-store.ts'
import { AppError } from '../lib/app-error.ts'
import { REPORT, REPORT_BYTES_MAX, type ReportIntake, type ReportResult } from '../reports/report-intake.ts'
import { SMTP_LIMITS } from './smtp-limits.ts'

/** An answer of RFC 5321 section 4.2.1 that is not 2xx. Its text reaches the client. */
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
  readonly quarantine: Pick<QuarantineStore, 'count'>
}

/**
 * Whom it was sent to is written into it, as every server does that delivers to a mailbox: what is kept is then all that is
 * needed to look at it again.
 */
export async function takeReport(
  { reports, quarantine }: TakeDependencies,
  recipients: readonly string[],
  message: AsyncIterable<Buffer>,
): Promise<ReportResult> {
  const trace = Buffer.from(recipients.map((address) => `Delivered-To: <${address}>\r\n`).join(''))
  const payload = await readBeginning(trace, message)
  try {
    const examined = await reports.examine(payload)
    if (!examined.isTied && examined.kind !== 'reply') {
      // Nothing is lost by a refusal: who sent it learns of it. What is kept of strangers has to end somewhere.
      if (examined.kind === 'unknown') throw new SmtpRefusal(554, 'This is no delivery report and no complaint')
      if ((await quarantine.count(REPORT)) >= SMTP_LIMITS.quarantined)
        throw new SmtpRefusal(452, 'Too many reports wait to be looked at, try again later')
    }
    return await examined.store()
  } catch (error) {
    if (error instanceof AppError)
      throw new SmtpRefusal(451, 'It cannot be stored now, try again later', { cause: error })
    throw error
  }
}

/** To its end, although only the beginning counts: an answer before the end would break the protocol. */
async function readBeginning(trace: Buffer, message: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks = [trace]
  let bytes = trace.length
  for await (const chunk of message) {
    if (bytes < REPORT_BYTES_MAX) chunks.push(chunk.subarray(0, REPORT_BYTES_MAX - bytes))
    bytes += chunk.length
  }
  if (bytes > SMTP_LIMITS.messageBytes) throw new SmtpRefusal(552, 'The message is too large')
  return Buffer.concat(chunks)
}
