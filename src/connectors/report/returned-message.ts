/** Reads the returned message of a report, complete or headers only. */

import type { ReturnedMessage, Trace } from '../../reports/report.ts'
import { REFERENCE_HEADER } from '../../reports/return-path.ts'
import { findFromAddress } from '../shared/address.ts'
import type { HeaderFields } from '../shared/header-fields.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import { asRecord, asText, asTexts } from '../shared/untrusted.ts'
import { findAddresses } from './mail-address.ts'
import type { MimePart } from './mime/mime-part.ts'
import { readableText } from './readable-text.ts'

/** RFC 3462 section 2, RFC 6533 section 4, and common misspellings. */
const RETURNED_TYPES = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global',
  'message/global-headers',
  'text/rfc822',
]

export function findReturnedPart(parts: readonly MimePart[]): MimePart | undefined {
  return parts.find(({ type }) => RETURNED_TYPES.includes(type))
}

/** Of From and Subject: thousands of encoded words would take long to decode. */
const HEADER_LENGTH_MAX = 2000
const ADDRESS_LENGTH_MAX = 1000

const REFERENCE_HEADER_NAME = REFERENCE_HEADER.toLowerCase()

/** `sender`: if the report itself names it. */
export function toReturned(headers: HeaderFields, sender?: string): ReturnedMessage {
  const header = (name: string) => headers.get(name)
  const from = header('from')
  const reference = header(REFERENCE_HEADER_NAME)
  return {
    sender: sender ?? findAddresses(header('return-path'))[0],
    from: readableText(decodeHeaderText(from?.slice(0, HEADER_LENGTH_MAX))),
    fromAddress: from === undefined ? undefined : findFromAddress(from),
    subject: readableText(decodeHeaderText(header('subject')?.slice(0, HEADER_LENGTH_MAX))),
    to: findAddresses(header('to')),
    messageId: /<([^<>\s]{1,255})>/.exec(header('message-id') ?? '')?.[1],
    references: reference === undefined ? [] : [reference],
    trace: findTrace(header('x-kumoref')),
  }
}

/** Marks the content of this header as KumoMTA's. */
const TRACE_MARK = { name: '_@_', value: '\\_/' }

/** KumoMTA's trace header is JSON in base64. Our policy helper adds the id; a policy may add a reference. */
function findTrace(header: string | undefined): Trace | undefined {
  if (header === undefined) return undefined
  const text = Buffer.from(header.replaceAll(/\s/g, ''), 'base64').toString()
  if (!text.trimStart().startsWith('{')) return undefined
  let record: unknown
  try {
    record = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = asRecord(record)
  if (fields[TRACE_MARK.name] !== TRACE_MARK.value) return undefined
  return {
    messageId: asText(fields['x_envelog_id']),
    reference: asText(fields['x_envelog_ref']),
    recipient: asTexts(fields['recipient'])[0]?.slice(0, ADDRESS_LENGTH_MAX),
  }
}
