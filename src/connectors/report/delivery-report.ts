/** Reads delivery status notifications: RFC 3464, and what servers actually send. */
import { AppError } from '../../lib/app-error.ts'
import type { Action, DeliveryReport, RecipientOutcome } from '../../reports/report.ts'
import { type Diagnostic, readDiagnostic } from './diagnostic.ts'
import {
  type Fields,
  findHost,
  firstOf,
  mergeBlocks,
  readFieldBlocks,
  typedValue,
  withoutComments,
} from './field-blocks.ts'
import { findAddresses } from './mail-address.ts'
import { findMailDate } from './mail-date.ts'

/** The second is from RFC 6533 section 3. */
export const STATUS_TYPES: readonly string[] = ['message/delivery-status', 'message/global-delivery-status']

/** A bounce message names all failed recipients of a message; few systems put more into one. */
const RECIPIENTS_MAX = 200
const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient']
const OUTCOME_FIELDS = [...RECIPIENT_FIELDS, 'action', 'status', 'diagnostic-code']

export type DeliveryStatus = Pick<DeliveryReport, 'envelopeId' | 'outcomes'>

/** Undefined if the text has no fields about a recipient. Throws AppError `invalid_payload` for too many. */
export function findDeliveryStatus(text: string): DeliveryStatus | undefined {
  const blocks = readFieldBlocks(text)
  const message = mergeBlocks(blocks.filter((block) => !isAboutRecipient(block)))
  const recipients = joinTorn(blocks.filter(isAboutRecipient))
  if (recipients.length === 0) return undefined
  if (recipients.length > RECIPIENTS_MAX)
    throw new AppError('invalid_payload', `the report names more than ${RECIPIENTS_MAX} recipients`)
  // If the empty line after them is missing, the fields about the message are in the first recipient's block.
  const find = (name: string) => firstOf(message, name) ?? firstOf(recipients[0] ?? message, name)
  const reportingMta = find('reporting-mta')
  return {
    envelopeId: find('original-envelope-id'),
    outcomes: recipients.map((fields) => toOutcome(fields, reportingMta)),
  }
}

function isAboutRecipient(fields: Fields): boolean {
  for (const name of OUTCOME_FIELDS) if (fields.has(name)) return true
  return false
}

/** Some servers put empty lines between the fields of one recipient: a block without a recipient belongs to the previous. */
function joinTorn(blocks: readonly Fields[]): readonly Fields[] {
  const joined: Fields[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (last && isRest(block, last)) joined[joined.length - 1] = mergeBlocks([last, block])
    else joined.push(block)
  }
  return joined
}

function isRest(block: Fields, last: Fields): boolean {
  for (const name of block.keys()) if (last.has(name) || RECIPIENT_FIELDS.includes(name)) return false
  return true
}

function toOutcome(fields: Fields, reportingMta: string | undefined): RecipientOutcome {
  const status = /(?:^|\s)([245]\.\d{1,3}\.\d{1,3})/.exec(withoutComments(firstOf(fields, 'status') ?? ''))?.[1]
  const diagnostic = readDiagnostic(firstOf(fields, 'diagnostic-code') ?? '')
  const original = findRecipient(firstOf(fields, 'original-recipient'))
  const final = findRecipient(firstOf(fields, 'final-recipient'))
  const action = readAction(firstOf(fields, 'action'), status ?? diagnostic.enhancedCode ?? diagnostic.code?.toString())
  return {
    addresses: [original, final === original ? undefined : final].filter((address) => address !== undefined),
    action,
    code: withoutSuccess(action, diagnostic.code),
    enhancedCode: withoutSuccess(action, pickEnhanced(status, diagnostic)),
    text: diagnostic.text,
    peerName: findHost(firstOf(fields, 'remote-mta')) ?? findHost(reportingMta),
    attemptedAt: findMailDate(firstOf(fields, 'last-attempt-date')),
  }
}

/** RFC 5321 section 4.2.1, RFC 3463 section 2: 2xx and 2.x.x are successes, so they are not the codes of a failure. */
function withoutSuccess<Code extends number | string>(action: Action, code: Code | undefined): Code | undefined {
  return (action === 'failed' || action === 'delayed') && `${code}`.startsWith('2') ? undefined : code
}

/** RFC 3463 section 3.1: x.0.0 gives only the class, so a more specific code in the diagnostic is preferred. */
export function pickEnhanced(status: string | undefined, { enhancedCode }: Diagnostic): string | undefined {
  const isVague = status?.endsWith('.0.0') === true
  return isVague && enhancedCode?.startsWith(status.slice(0, 2)) === true ? enhancedCode : (status ?? enhancedCode)
}

/** X.400 names are not email addresses. */
function findRecipient(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const { type, value } = typedValue(field)
  return type === 'x400' ? undefined : findAddresses(withoutComments(value))[0]
}

/** By the start of the word, because servers also write `fail` and `failure`. For other words the status decides. */
const ACTIONS: readonly (readonly [string, Action])[] = [
  ['fail', 'failed'],
  ['delay', 'delayed'],
  ['deliver', 'delivered'],
  ['relay', 'relayed'],
  ['expand', 'expanded'],
  // The server has given up, although the status is often that of the last attempt, which was temporary.
  ['expired', 'failed'],
]

const ACTION_OF_CLASS: Readonly<Record<string, Action>> = { '5': 'failed', '4': 'delayed', '2': 'delivered' }

function readAction(field: string | undefined, status: string | undefined): Action {
  const word = withoutComments(field ?? '').toLowerCase()
  const found = ACTIONS.find(([start]) => word.startsWith(start))?.[1]
  return found ?? ACTION_OF_CLASS[status?.charAt(0) ?? ''] ?? 'unclear'
}
