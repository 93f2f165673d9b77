/** Complaints: RFC 5965, and what Microsoft sends instead. */
import type { HeaderFields } from '../header-fields.ts'
import { findHost, firstOf, mergeBlocks, readFieldBlocks } from './field-blocks.ts'
import { findAddresses } from './mail-address.ts'

export const FEEDBACK_TYPES: readonly string[] = ['message/feedback-report']

export interface Feedback {
  readonly feedbackType: string
  readonly envelopeId: string | undefined
  readonly sender: string | undefined
  readonly recipients: readonly string[]
  readonly reporter: string | undefined
}

/** Microsoft's programme for senders (JMRP) names who complained in a header of the message that it returns. */
const MICROSOFT_HEADER = 'x-hmxmroriginalrecipient'

/** A report without a type is one of abuse: that is what they are for. */
const DEFAULT_TYPE = 'abuse'

/** From the fields of the report, where there are any, and the headers of the message that comes with it. */
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
