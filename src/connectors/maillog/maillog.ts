/**
 * What a follower of a mail server's log has made out: native events, with the names that may tell the sender domain in
 * its place. Postfix, Exim and PowerMTA write lines that mean little one by one; they are put together where the log is
 * (`tail`), and travel in this form.
 */
import type { Connector, ToldEvent } from '../../events/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Knowledge } from '../knowledge.ts'
import { asText, asTexts, isRecord, type UntrustedRecord } from '../untrusted.ts'

export const MAILLOG = 'maillog'

export interface MailLogRecord {
  readonly sender_domains: readonly string[]
  /** Without `domain_name`; class and provider may be left for the server to find. */
  readonly event: UntrustedRecord
  readonly if_unknown?: 'skip'
  /** Told by a stranger: counts only where the log has the message. */
  readonly is_report?: true
  /** Why the line cannot be understood; then this is all there is. */
  readonly problem?: string
  readonly line?: string
}

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
    ...(record['is_report'] === true && { isReport: true }),
  }
}

/** Where the log does not tell, the tables may. */
function missingFields(event: UntrustedRecord, knowledge: Knowledge): UntrustedRecord {
  const found: Record<string, unknown> = {}
  const peer = asText(event['peer_name'])
  const provider = peer === undefined ? undefined : knowledge.findProvider(peer)
  if (event['provider_name'] === undefined && provider !== undefined) found['provider_name'] = provider
  if (event['bounce_classification'] === undefined && FAILURES.includes(event['type'])) {
    const { response_code: code, response_enhanced_code: enhanced, response_content: text } = event
    found['bounce_classification'] = knowledge.classify({
      code: typeof code === 'number' ? code : undefined,
      enhancedCode: asText(enhanced),
      text: asText(text),
    })
  }
  return found
}
