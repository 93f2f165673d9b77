/** Reports about accepted messages: delivery status notifications (DSN) and feedback reports (ARF). */

export type Report = DeliveryReport | FeedbackReport | OtherMessage<'reply'> | OtherMessage<'unknown'>

export const REPORT_KINDS = ['delivery', 'feedback', 'reply', 'unknown'] as const

export type ReportKind = (typeof REPORT_KINDS)[number]

interface AnyReport {
  /** The addresses that the report was sent to, from its own headers. */
  readonly sentTo: readonly string[]
  /** When it was written, Unix seconds, most trustworthy first. May be empty. */
  readonly times: readonly number[]
  readonly returned: ReturnedMessage
  /** Of delivery reports (RFC 3464 section 2.2.1) and feedback reports (RFC 5965 section 3.2). */
  readonly envelopeId?: string | undefined
  /** Why it is not read further, if it has more of something than real reports have. */
  readonly excess?: string | undefined
}

/** A DSN (RFC 3464), or a bounce message in plain or free text. */
export interface DeliveryReport extends AnyReport {
  readonly kind: 'delivery'
  /** Recognized by its wording only. Its outcome lists all addresses that the text mentions. */
  readonly isFreeText?: true | undefined
  readonly outcomes: readonly RecipientOutcome[]
}

/** ARF (RFC 5965). */
export interface FeedbackReport extends AnyReport {
  readonly kind: 'feedback'
  /** Such as `abuse`, in lower case. */
  readonly feedbackType: string
  /** The complainants, if they are named. */
  readonly recipients: readonly string[]
  /** The host that the complaint comes from. */
  readonly reporter?: string | undefined
}

/** An automatic reply (RFC 3834), or a message that is not a known kind of report. */
interface OtherMessage<Kind extends 'reply' | 'unknown'> extends AnyReport {
  readonly kind: Kind
}

/** RFC 3464 section 2.3.3; `unclear` if there is neither a known action nor a status. */
export type Action = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | 'unclear'

/** The outcome for one recipient of a DSN. */
export interface RecipientOutcome {
  /** The original address, if it is named, then the final one. */
  readonly addresses: readonly string[]
  readonly action: Action
  readonly code?: number | undefined
  /** Dotted. */
  readonly enhancedCode?: string | undefined
  readonly text?: string | undefined
  /** The server that rejected the message, otherwise the reporting one. */
  readonly peerName?: string | undefined
  /** Unix seconds. */
  readonly attemptedAt?: number | undefined
}

/** The message that the report is about, as far as it is returned. */
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
  /** The values of the header X-Envelog-Ref. */
  readonly references: readonly string[]
  /** From KumoMTA's trace header. */
  readonly trace?: Trace | undefined
}

export interface Trace {
  readonly messageId?: string | undefined
  readonly reference?: string | undefined
  readonly recipient?: string | undefined
}
