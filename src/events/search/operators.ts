/** The operators of a search and their values. Shared by the server and the console: pure, and without imports of either. */
import { EVENT_TYPES, type EventType } from '../event.ts'

interface Operator {
  /** What the event must have, for lists of operators. */
  readonly meaning: string
  readonly example: string
  /** Other names. */
  readonly aliases?: readonly string[]
  /** Several values may be separated by commas; an event needs one of them. */
  readonly isList?: true
  /** May be written before a name and an address: `to: Anna <anna@example.org>`. */
  readonly isAddress?: true
  /** For those who may know where messages were sent from. */
  readonly isSending?: true
}

const EXACT = { isList: true } as const
const ADDRESS = { isAddress: true } as const
const SENDING = { isList: true, isSending: true } as const

const operatorTable = {
  to: { ...ADDRESS, meaning: 'recipient contains', example: 'anna@example.org', aliases: ['recipient', 'rcpt'] },
  from: { ...ADDRESS, meaning: 'From header or envelope sender contains', example: 'news@' },
  sender: { ...ADDRESS, meaning: 'envelope sender contains', example: 'bounces@', aliases: ['return-path'] },
  subject: { meaning: 'subject contains', example: '"your invoice"' },
  answer: { meaning: 'answer of the receiving server contains', example: 'blocked', aliases: ['response'] },
  type: { ...EXACT, meaning: 'type of the event', example: 'Bounce' },
  code: { ...EXACT, meaning: 'response code', example: '5xx' },
  domain: { ...EXACT, meaning: 'sender domain', example: 'shop.example' },
  provider: { ...EXACT, meaning: 'receiving provider', example: 'Google' },
  class: {
    ...EXACT,
    meaning: 'reason of a failure',
    example: 'InvalidRecipient',
    aliases: ['classification', 'reason'],
  },
  id: { meaning: 'message ID', example: '0b7f3c1e-…', aliases: ['message_id', 'message-id', 'msgid'] },
  ip: { ...SENDING, meaning: 'sending address', example: '192.0.2.1', aliases: ['sending_address'] },
  source: { ...SENDING, meaning: 'sending source', example: 'mta-1', aliases: ['sending_source'] },
  pool: { ...SENDING, meaning: 'sending pool', example: 'bulk', aliases: ['sending_pool'] },
} as const satisfies Readonly<Record<string, Operator>>

export type OperatorName = keyof typeof operatorTable
export const OPERATORS: Readonly<Record<OperatorName, Operator>> = operatorTable
export const OPERATOR_NAMES = Object.keys(operatorTable) as readonly OperatorName[]

const NAMES: ReadonlyMap<string, OperatorName> = new Map(
  OPERATOR_NAMES.flatMap((name) => [name, ...(OPERATORS[name].aliases ?? [])].map((own) => [own, name] as const)),
)

/** By its name or another one, letter case ignored. */
export function findOperator(name: string): OperatorName | undefined {
  return NAMES.get(name.toLowerCase())
}

/** As people call them. */
const TYPE_NAMES: ReadonlyMap<string, EventType> = new Map([
  ...EVENT_TYPES.map((type) => [type.toLowerCase(), type] as const),
  ['deferred', 'TransientFailure'],
  ['complaint', 'Feedback'],
  ['latebounce', 'OOBBounce'],
])

export function findType(name: string): EventType | undefined {
  return TYPE_NAMES.get(name.toLowerCase())
}

/** The same as that of the parameter `code`. */
const CODE = /^(?:[0-9]{1,3}|[0-9]xx|[0-9]{2}x|[0-9]{1,3}-[0-9]{1,3})$/i

/** Why a value is not possible; undefined if it is. `part`: the value with its operator, as it was written. */
export function findProblem(operator: OperatorName, value: string, part: string): string | undefined {
  if (operator === 'type' && !findType(value)) {
    return `${part}: not a type of event. Types: ${EVENT_TYPES.join(', ')}.`
  }
  if (operator === 'code' && !CODE.test(value)) {
    return `${part}: not a response code. Use a code (550), a class (5xx, 55x) or a range (400-499).`
  }
  return undefined
}
