/** What a mail server or a provider reports about a message that it took: deliveries that failed later, and complaints. */

export type Report = DeliveryReport | FeedbackReport | AutomaticReply | UnknownMessage

export const REPORT_KINDS = ['delivery', 'feedback', 'reply', 'unknown'] as const

export type ReportKind = (typeof REPORT_KINDS)[number]

interface AnyReport {
  /** The addresses that the report was sent to, as far as its own headers tell. */
  readonly sentTo: readonly string[]
  /** When it was written, Unix seconds: the most trustworthy first. May be empty. */
  readonly times: readonly number[]
  readonly returned: ReturnedMessage
}

/** RFC 3464, or a text of the kind that went before it. */
export interface DeliveryReport extends AnyReport {
  readonly kind: 'delivery'
  /** RFC 3464 section 2.2.1 */
  readonly envelopeId?: string | undefined
  readonly outcomes: readonly RecipientOutcome[]
}

/** RFC 5965 */
export interface FeedbackReport extends AnyReport {
  readonly kind: 'feedback'
  /** Such as `abuse`, in lower case. */
  readonly feedbackType: string
  readonly envelopeId?: string | undefined
  /** Who complains, where it is told. */
  readonly recipients: readonly string[]
  /** The host that the complaint comes from. */
  readonly reporter?: string | undefined
}

/** RFC 3834. It reports nothing. */
export interface AutomaticReply extends AnyReport {
  readonly kind: 'reply'
}

/** A message that reports nothing that we understand. */
export interface UnknownMessage extends AnyReport {
  readonly kind: 'unknown'
}

/** RFC 3464 section 2.3.3, and `unclear` where it says neither what happened nor gives a status. */
export type Action = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | 'unclear'

/** What a delivery report says about one recipient. */
export interface RecipientOutcome {
  /** The address that the message was sent to, where it is told, then the one that it ended up with. */
  readonly addresses: readonly string[]
  readonly action: Action
  readonly code?: number | undefined
  /** Dotted. */
  readonly enhancedCode?: string | undefined
  readonly text?: string | undefined
  /** The server that refused, else the one that reports. */
  readonly peerName?: string | undefined
  /** Unix seconds. */
  readonly attemptedAt?: number | undefined
}

/** The message that the report is about, as far as the report gives it back. */
export interface ReturnedMessage {
  /** Envelope sender, from Return-Path or Original-Mail-From. */
  readonly sender?: string | undefined
  readonly from?: string | undefined
  /** The address in From. */
  readonly fromAddress?: string | undefined
  readonly subject?: string | undefined
  /** The addresses of the header To. */
  readonly to: readonly string[]
  /** Without angle brackets. */
  readonly messageId?: string | undefined
  /** The values of our own header. */
  readonly references: readonly string[]
  /** KumoMTA's trace header, where it has the marks of one. */
  readonly trace?: Trace | undefined
}

export interface Trace {
  readonly messageId?: string | undefined
  readonly reference?: string | undefined
  readonly recipient?: string | undefined
}
