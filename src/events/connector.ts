/** A dialect of events: how one sending engine writes down what happened, turned into ours. Port; pure functions under connectors/. */
export interface Connector {
  /** The last part of its ingest address, and what `import --format` calls it. */
  readonly name: string
  /**
   * The events that one record of the dialect stands for, in the native form and not yet checked: none where the record
   * says nothing about a message, several where it names several recipients.
   * Throws AppError `invalid_payload` where the record cannot be understood.
   */
  toEvents(record: unknown): readonly unknown[]
}
