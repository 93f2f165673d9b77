/**
 * Feedback reports (RFC 5965) parsed by KumoMTA. Id, recipient, peer and response of the record are those of the report
 * mail; the complaint itself is in `feedback_report`.
 */

import type { Knowledge } from '../../classification/knowledge.ts'
import type { ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { isComplaint } from '../../reports/feedback-type.ts'
import { REFERENCE_HEADER } from '../../reports/return-path.ts'
import { findFromAddress, senderDomainsOf, withoutBrackets } from '../shared/address.ts'
import type { HeaderFields } from '../shared/header-fields.ts'
import { decodeHeaderText, readHeaders } from '../shared/header-text.ts'
import { referenceClaim } from '../shared/reference-claim.ts'
import { asRecord, asText, asTexts, type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { hostName, messageFields, readTimestamp } from './record-fields.ts'

/** Reports about authentication, and that a message is not spam, are not complaints. */
export function isFeedbackComplaint(record: UntrustedRecord): boolean {
  return isComplaint(asText(asRecord(record['feedback_report'])['feedback_type']) ?? '')
}

export function toFeedbackEvents(record: UntrustedRecord, knowledge: Knowledge): readonly ToldEvent[] {
  const report = asRecord(record['feedback_report'])
  const trace = asRecord(report['supplemental_trace'])
  const headers = readHeaders(originalText(report['original_message']))
  const from = headerText(headers, 'from')
  const sender = asText(withoutBrackets(asText(report['original_mail_from']) ?? ''))
  const reporter = hostName(asRecord(report['reporting_mta'])['name'])
  const recipient = findRecipient(report, trace, headers)
  const claim = referenceClaim(sender, headers.get(REFERENCE_HEADER.toLowerCase()), trace['x_envelog_ref'])
  const domains = [...new Set([...senderDomainsOf(from, sender), ...asTexts(report['reported_domain'])])]
  // A signed reference proves both.
  if (claim.reference === undefined) requireKnown(recipient, domains)
  const event = withoutUndefined({
    ...messageFields(record, 'Feedback'),
    // Added to the message by our policy helper, to link the complaint to it.
    ...(asText(trace['x_envelog_id']) !== undefined && { id: trace['x_envelog_id'] }),
    type: 'Feedback',
    timestamp: readTimestamp(record),
    recipient: recipient ?? '',
    sender,
    from,
    subject: headerText(headers, 'subject'),
    peer_name: reporter,
    provider_name: knowledge.findProvider(reporter),
  })
  // Anybody who got the message can read the trace and forge a report: at least the log must have the message with this recipient.
  const isReport = claim.reference === undefined && asText(trace['x_envelog_id']) !== undefined
  return [{ event, senderDomains: domains, ...(isReport && { isReport }), ...claim }]
}

function requireKnown(recipient: string | undefined, domains: readonly string[]): void {
  if (recipient === undefined) throw new AppError('invalid_payload', 'feedback_report: no recipient found')
  if (domains.length === 0)
    throw new AppError('invalid_payload', 'feedback_report: no From, sender or reported domain found')
}

/** Providers often redact the complainant, so the trace in our own header comes first. */
function findRecipient(report: UntrustedRecord, trace: UntrustedRecord, headers: HeaderFields): string | undefined {
  const to = headerText(headers, 'to')
  return (
    asText(asTexts(trace['recipient'])[0]) ??
    asText(asTexts(report['original_rcpto_to']).map(withoutBrackets)[0]) ??
    (to === undefined ? undefined : findFromAddress(to))
  )
}

/** KumoMTA writes a list of bytes if they are not UTF-8; Latin-1 is the best guess and keeps all of them. */
function originalText(value: unknown): string {
  if (Array.isArray(value)) return Buffer.from(value as number[]).toString('latin1')
  return typeof value === 'string' ? value : ''
}

function headerText(headers: HeaderFields, name: string): string | undefined {
  return asText(decodeHeaderText(headers.get(name)))
}
