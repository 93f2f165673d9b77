/** Sources of quarantined records, and the share of each, so that no source can fill the disk or use the shares of others. */

/**
 * `key`: posted with an API key. `local`: by commands on this machine. `smtp`: mail from a client network. `server`: from the
 * server itself, such as opens and clicks. `tenant`: beyond the tenant's quota, brought by an operator's key. `earlier`: quarantined by a version that did not record sources.
 */
export const SOURCE_KINDS = ['key', 'local', 'smtp', 'server', 'tenant', 'earlier'] as const

export type SourceKind = (typeof SOURCE_KINDS)[number]

export interface Source {
  readonly kind: SourceKind
  /** The id of the key or the tenant, or the client network; empty for the other kinds. */
  readonly name: string
}

export const LOCAL: Source = { kind: 'local', name: '' }
export const SERVER: Source = { kind: 'server', name: '' }

export function sourceOfKey(keyId: string): Source {
  return keyId === LOCAL.kind ? LOCAL : { kind: 'key', name: keyId }
}

/** Such as `smtp 192.0.2.1` or `local`. */
export function formatSource({ kind, name }: Source): string {
  return name === '' ? kind : `${kind} ${name}`
}

/** Undefined for a text that is not a source. */
export function findSource(text: string): Source | undefined {
  const [kindText = '', ...names] = text.split(' ')
  const kind = SOURCE_KINDS.find((known) => known === kindText)
  return kind === undefined || names.length > 1 ? undefined : { kind, name: names[0] ?? '' }
}

export const QUARANTINE_BYTES_DEFAULT = 1024 * 1024 * 1024

export interface Room {
  /** Of one source, of all sources of its kind, and of all together. */
  readonly source: number
  readonly kind: number
  readonly all: number
}

/** Strangers get a quarter of the quarantine, each of their networks a quarter of that; tenants beyond their quotas the same. */
export function roomOf(kind: SourceKind, bytesMax: number): Room {
  switch (kind) {
    case 'smtp':
    case 'tenant':
      return { source: bytesMax / 16, kind: bytesMax / 4, all: bytesMax }
    case 'key':
      return { source: bytesMax / 4, kind: bytesMax, all: bytesMax }
    case 'local':
      return { source: bytesMax, kind: bytesMax, all: bytesMax }
    // Our own records: refusing them would stop the opens and clicks after them.
    case 'server':
    case 'earlier':
      return { source: Infinity, kind: Infinity, all: Infinity }
  }
}

/** What a row takes besides its payload, at least. */
const RECORD_BYTES = 512

export function sizeInQuarantine({ payload }: { readonly payload: Uint8Array }): number {
  return payload.length + RECORD_BYTES
}

/** Payloads read, or rows examined and removed, in one step. */
export const QUARANTINE_STEP = { pageBytes: 1_048_576, removedRows: 500, removedBytes: 8 * 1024 * 1024 } as const
