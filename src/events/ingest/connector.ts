/** A dialect of events: how one sending engine writes down what happened, turned into ours. Port; pure functions under connectors/. */
import type { EventExtension } from '../event.ts'

export interface Connector {
  /** The last part of its ingest address, and what `import --format` calls it. */
  readonly name: string
  /**
   * The events that one record of the dialect stands for: none where the record says nothing about a message, several
   * where it names several recipients. Throws AppError `invalid_payload` where the record cannot be understood.
   */
  toEvents(record: unknown): readonly ToldEvent[]
}

/** An event as an engine tells it. See docs/decisions/0011 for how its sender domain is found. */
export interface ToldEvent {
  /** In the native form and not yet checked; without `domain_name` where `senderDomains` are given. */
  readonly event: unknown
  /** Names that are the sender domain or lie below it, the most telling first. The first that leads to a domain counts. */
  readonly senderDomains?: readonly string[]
  /** What happens to an event of no domain of ours: rejected and kept, unless it may well be somebody else's mail. */
  readonly ifUnknown?: 'reject' | 'skip'
  /** What the interface has no field for; see EventExtension. */
  readonly extension?: EventExtension
  /** Told by a stranger who took the message: counts only where the log has it, with this recipient. See docs/decisions/0013. */
  readonly isReport?: boolean
}
