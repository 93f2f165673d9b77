/** Translates the records of one sending engine into events. Port; the connectors are pure functions under connectors/. */
import type { EventExtension } from '../event.ts'

export interface Connector {
  /** The last part of its ingest address, and what `import --format` calls it. */
  readonly name: string
  /**
   * The events of one record of the dialect: none if the record says nothing about a message, several
   * if it names several recipients. Throws AppError `invalid_payload` if the record cannot be understood.
   */
  toEvents(record: unknown): readonly ToldEvent[]
}

/** An event as an engine reports it. See docs/decisions/0011 for how its sender domain is found. */
export interface ToldEvent {
  /** In the native form and not yet checked; without `domain_name` if `senderDomains` are given. */
  readonly event: unknown
  /** Names of the sender domain or its subdomains, the most specific first. The first that leads to a domain counts. */
  readonly senderDomains?: readonly string[]
  /** For events that belong to no known domain: `skip` ignores them as other people's mail; by default they are rejected. */
  readonly ifUnknown?: 'reject' | 'skip'
  /** Fields that the interface does not have; see EventExtension. */
  readonly extension?: EventExtension
  /** Reported by a third party that received the message: valid only if the log has it with this recipient. See docs/decisions/0013. */
  readonly isReport?: boolean
  /**
   * Of a report: a return path or another text with a signed reference. If it was signed here, the event belongs to the message
   * that it was signed for; otherwise it is rejected. See docs/decisions/0013.
   */
  readonly reference?: string
}
