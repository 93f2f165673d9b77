/**
 * Feedback reports (RFC 5965) parsed by KumoMTA. Id, recipient, peer and response of the record are those of the report
 * mail; the complaint itself is in `feedback_report`.
 */

import type { Knowledge } from '../../classification/knowledge.ts'
import type { ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { findFromAddress, senderDomainsOf, withoutBrackets } from '../shared/address.ts'
import type { HeaderFields } from '../shared/header-fields.ts'
import { decodeHeaderText, readHeaders } from '../shared/header-text.ts'
import { asRecord, asText, asTexts, type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { hostName, messageFields, readTimestamp } from './record-fields.ts'

export function toFeedbackEvents(record: UntrustedRecord, knowledge: Knowledge): readonly ToldEvent[] {
  const report = asRecord(record['feedback_report'])
  const trace = asRecord(report['supplemental_trace'])
  const headers = readHeaders(originalText(report['original_message']))
  const from = headerText(headers, 'from')
  const sender = asText(withoutBrackets(asText(report['original_mail_from']) ?? ''))
  const reporter = hostName(asRecord(report['reporting_mta'])['name'])
  const event = withoutUndefined({
    ...messageFields(record, 'Feedback'),
    // Added to the message by our policy helper, to link the complaint to it.
    ...(asText(trace['x_envelog_id']) !== undefined && { id: trace['x_envelog_id'] }),
    type: 'Feedback',
    timestamp: readTimestamp(record),
    recipient: findRecipient(report, trace, headers),
    sender,
    from,
    subject: headerText(headers, 'subject'),
    peer_name: reporter,
    provider_name: knowledge.findProvider(reporter),
  })
  const domains = [...new Set([...senderDomainsOf(from, sender), ...asTexts(report['reported_domain'])])]
  if (domains.length === 0)
    throw new AppError('invalid_payload', 'feedback_report: no From, sender or reported domain found')
  return [{ event, senderDomains: domains }]
}

/** Providers often redact the complainant, so the trace in our own header comes first. */
function findRecipient(report: UntrustedRecord, trace: UntrustedRecord, headers: HeaderFields): string {
  const to = headerText(headers, 'to')
  const found =
    asText(asTexts(trace['recipient'])[0]) ??
    asText(asTexts(report['original_rcpto_to']).map(withoutBrackets)[0]) ??
    (to === undefined ? undefined : findFromAddress(to))
  if (found === undefined) throw new AppError('invalid_payload', 'feedback_report: no recipient found')
  return found
}

/** KumoMTA writes a list of bytes if they are not UTF-8; Latin-1 is the best guess and keeps all of them. */
function originalText(value: unknown): string {
  if (Array.isArray(value)) return Buffer.from(value as number[]).toString('latin1')
  return typeof value === 'string' ? value : ''
}

function headerText(headers: HeaderFields, name: string): string | undefined {
  return asText(decodeHeaderText(headers.get(name)))
}
