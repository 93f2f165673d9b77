/**
 * Records that a reader of a mail server's log produces: native events with candidates for the sender domain instead of
 * the domain itself. Single lines of Postfix, Exim or PowerMTA mean little, so `tail` correlates them where the log is and
 * sends the result in this form.
 */
import type { Knowledge } from '../../classification/knowledge.ts'
import type { EventExtension } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { referenceClaim } from '../shared/reference-claim.ts'
import { toldExtension } from '../shared/told-extension.ts'
import { asText, asTexts, isRecord, type UntrustedRecord } from '../shared/untrusted.ts'
import type { LeftOutReason } from './left-out.ts'

export const MAILLOG = 'maillog'

export interface MailLogRecord {
  readonly sender_domains: readonly string[]
  /** Without `domain_name`; the server may fill in class and provider. */
  readonly event: UntrustedRecord
  /** What the log says beyond the fields of an event. */
  readonly extension?: SendingExtension
  readonly if_unknown?: 'skip'
  /** Reported by a third party: counts only if the log has the message. */
  readonly is_report?: true
  /** Why the line could not be parsed; `line` has it, and the other fields are empty. */
  readonly problem?: string
  readonly line?: string
  /** Why an outcome is not an event. Counted where the log is read, and not sent; the other fields are empty. */
  readonly left_out?: LeftOutReason
}

export type SendingExtension = Pick<
  EventExtension,
  'sending_address' | 'sending_source' | 'sending_pool' | 'next_attempt'
>

const FAILURES: readonly unknown[] = ['Bounce', 'OOBBounce', 'TransientFailure']

export function createMaillog(knowledge: Knowledge): Connector {
  return { name: MAILLOG, toEvents: (record) => [toEvent(record, knowledge)] }
}

function toEvent(record: unknown, knowledge: Knowledge): ToldEvent {
  if (!isRecord(record) || !isRecord(record['event']) || !Array.isArray(record['sender_domains']))
    throw new AppError('invalid_payload', 'a record must be an object with event and sender_domains')
  const problem = asText(record['problem'])
  if (problem !== undefined) throw new AppError('invalid_payload', problem)
  return {
    event: { ...record['event'], ...missingFields(record['event'], knowledge) },
    senderDomains: asTexts(record['sender_domains']),
    ifUnknown: record['if_unknown'] === 'skip' ? 'skip' : 'reject',
    ...(record['is_report'] === true && { isReport: true, ...referenceClaim(record['event']['sender']) }),
    ...toldExtension(record['extension']),
  }
}

function missingFields(event: UntrustedRecord, knowledge: Knowledge): UntrustedRecord {
  const found: Record<string, unknown> = {}
  const provider = knowledge.findProvider(asText(event['peer_name']))
  if (event['provider_name'] === undefined && provider !== undefined) found['provider_name'] = provider
  if (event['bounce_classification'] === undefined && FAILURES.includes(event['type'])) {
    const { response_code: code, response_enhanced_code: enhanced, response_content: text } = event
    found['bounce_classification'] = knowledge.classify({ code, enhancedCode: asText(enhanced), text: asText(text) })
  }
  return found
}
