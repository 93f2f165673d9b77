/** The audit log as a file: NDJSON, or CSV. */
import { toLine } from '../../log/event-file.ts'
import type { AuditEntry } from './audit-log.wire.ts'

export interface AuditFile {
  readonly contentType: string
  /** Written before the first entry; may be empty. */
  readonly head: string
  toText(entry: AuditEntry): string
}

const COLUMNS = [
  'id',
  'time',
  'lastTime',
  'count',
  'kind',
  'actorType',
  'actor',
  'actorName',
  'address',
  'action',
  'object',
  'outcome',
  'status',
  'requestId',
] as const

export const AUDIT_FILES: Readonly<Record<'csv' | 'ndjson', AuditFile>> = {
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    toText: (entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: toLine(COLUMNS),
    toText({ actor: { type, id, name, address }, ...entry }) {
      const cells = { ...entry, actorType: type, actor: id, actorName: name, address }
      return toLine(COLUMNS.map((column) => cells[column]))
    },
  },
}
