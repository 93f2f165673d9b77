/** The bytes of one record, parsed as far as they can be. */
import { parseRecord, type RawRecord } from './split-records.ts'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The payload stays the very bytes: the quarantine recognises a record by them. */
export function toRawRecord(payload: Uint8Array): RawRecord {
  let text: string
  try {
    text = strictUtf8.decode(payload)
  } catch {
    return { payload, value: undefined, problem: 'the record is not valid UTF-8' }
  }
  return { ...parseRecord(text), payload }
}
