/**
 * Complaints (RFC 5965) that KumoMTA has parsed. The record itself is about the report: its id, recipient, peer and answer
 * are those of the mail that brought it. What it complains about stands in `feedback_report`.
 */

import type { ToldEvent } from '../../events/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { findFromAddress, senderDomainsOf, withoutBrackets } from '../address.ts'
import type { HeaderFields } from '../header-fields.ts'
import { decodeHeaderText, readHeaders } from '../header-text.ts'
import type { Knowledge } from '../knowledge.ts'
import { asRecord, asText, asTexts, type UntrustedRecord, withoutUndefined } from '../untrusted.ts'
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
    // Put into the message by our policy helper, so that the complaint finds the message again.
    ...(asText(trace['x_envelog_id']) !== undefined && { id: trace['x_envelog_id'] }),
    type: 'Feedback',
    timestamp: readTimestamp(record),
    recipient: findRecipient(report, trace, headers),
    sender,
    from,
    subject: headerText(headers, 'subject'),
    peer_name: reporter,
    provider_name: reporter === undefined ? undefined : knowledge.findProvider(reporter),
  })
  const domains = [...new Set([...senderDomainsOf(from, sender), ...asTexts(report['reported_domain'])])]
  if (domains.length === 0) throw new AppError('invalid_payload', 'feedback_report: tells neither From nor sender')
  return [{ event, senderDomains: domains }]
}

/** Providers hide who complained where they can, so the trace in our own header comes first. */
function findRecipient(report: UntrustedRecord, trace: UntrustedRecord, headers: HeaderFields): string {
  const to = headerText(headers, 'to')
  const found =
    asText(asTexts(trace['recipient'])[0]) ??
    asText(asTexts(report['original_rcpto_to']).map(withoutBrackets)[0]) ??
    (to === undefined ? undefined : findFromAddress(to))
  if (found === undefined) throw new AppError('invalid_payload', 'feedback_report: does not tell who complains')
  return found
}

/** Bytes where they are not UTF-8; then nothing better is known than Latin-1, which loses none. */
function originalText(value: unknown): string {
  if (Array.isArray(value)) return Buffer.from(value as number[]).toString('latin1')
  return typeof value === 'string' ? value : ''
}

function headerText(headers: HeaderFields, name: string): string | undefined {
  const raw = headers.get(name)
  return raw === undefined ? undefined : asText(decodeHeaderText(raw))
}
