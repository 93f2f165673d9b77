/** Reads feedback reports: RFC 5965, and Microsoft's own format. */
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

/** A report without a type counts as abuse, the main purpose of the format. */
const DEFAULT_TYPE = 'abuse'

/** From the fields of the report, if there are any, and the headers of the returned message. */
export function findFeedback(fields: string | undefined, returned: HeaderFields): Feedback | undefined {
  const named = findAddresses(returned.get(MICROSOFT_HEADER))
  if (fields === undefined && named.length === 0) return undefined
  const feedback = readFields(fields ?? '')
  return { ...feedback, recipients: [...new Set([...feedback.recipients, ...named])] }
}

function readFields(text: string): Feedback {
  const fields = mergeBlocks(readFieldBlocks(text))
  const type = firstOf(fields, 'feedback-type')?.toLowerCase() ?? DEFAULT_TYPE
  const recipients = [...(fields.get('original-rcpt-to') ?? []), ...(fields.get('removal-recipient') ?? [])]
  return {
    feedbackType: /^[\w-]+/.exec(type)?.[0] ?? DEFAULT_TYPE,
    envelopeId: firstOf(fields, 'original-envelope-id'),
    sender: findAddresses(firstOf(fields, 'original-mail-from'))[0],
    recipients: recipients.flatMap((field) => findAddresses(field)),
    reporter: findHost(firstOf(fields, 'reporting-mta')),
  }
}
