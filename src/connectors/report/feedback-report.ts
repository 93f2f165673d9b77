/** Reads feedback reports: RFC 5965, and Microsoft's own format. */
import { AppError } from '../../lib/app-error.ts'
import type { FeedbackReport } from '../../reports/report.ts'
import type { HeaderFields } from '../shared/header-fields.ts'
import { findHost, firstOf, mergeBlocks, readFieldBlocks } from './field-blocks.ts'
import { findAddresses } from './mail-address.ts'

export const FEEDBACK_TYPES: readonly string[] = ['message/feedback-report']

export interface Feedback extends Pick<FeedbackReport, 'feedbackType' | 'envelopeId' | 'recipients' | 'reporter'> {
  readonly sender: string | undefined
}

/** Microsoft's Junk Mail Reporting Program (JMRP) names the complainant in a header of the returned message. */
const MICROSOFT_HEADER = 'x-hmxmroriginalrecipient'

/** A complaint is about one copy of a message; RFC 5965 section 3.2 allows several. */
const RECIPIENTS_MAX = 50

/** A report without a type counts as abuse, the main purpose of the format. */
const DEFAULT_TYPE = 'abuse'

/**
 * From the fields of the report, if there are any, and the headers of the returned message. Throws AppError
 * `invalid_payload` if it names too many recipients.
 */
export function findFeedback(fields: string | undefined, returned: HeaderFields): Feedback | undefined {
  const named = findAddresses(returned.get(MICROSOFT_HEADER))
  if (fields === undefined && named.length === 0) return undefined
  const feedback = readFields(fields ?? '')
  const recipients = [...new Set([...feedback.recipients, ...named])]
  if (recipients.length > RECIPIENTS_MAX) throw tooManyRecipients()
  return { ...feedback, recipients }
}

function readFields(text: string): Feedback {
  const fields = mergeBlocks(readFieldBlocks(text))
  const type = firstOf(fields, 'feedback-type')?.toLowerCase() ?? DEFAULT_TYPE
  const recipients = [...(fields.get('original-rcpt-to') ?? []), ...(fields.get('removal-recipient') ?? [])]
  if (recipients.length > RECIPIENTS_MAX) throw tooManyRecipients()
  return {
    feedbackType: /^[\w-]+/.exec(type)?.[0] ?? DEFAULT_TYPE,
    envelopeId: firstOf(fields, 'original-envelope-id'),
    sender: findAddresses(firstOf(fields, 'original-mail-from'))[0],
    recipients: recipients.flatMap((field) => findAddresses(field)),
    reporter: findHost(firstOf(fields, 'reporting-mta')),
  }
}

function tooManyRecipients(): AppError {
  return new AppError('invalid_payload', `the report names more than ${RECIPIENTS_MAX} recipients`)
}
