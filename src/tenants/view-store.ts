/** Searches of the log that were saved under a name, per key. Port. */

export interface SavedView {
  /** Unique for the key. */
  readonly name: string
  /** Query string of the log page: filters, window, columns. */
  readonly query: string
  readonly savedAtMs: number
}

/** `full`: the key has as many views as it may have. `no_key`: there is no such key, or it is revoked. */
export type ViewSaving = 'saved' | 'full' | 'no_key'

/** The views of a key are removed when it is revoked, and with its tenant. */
export interface ViewStore {
  /** By name. */
  listViews(keyId: string): Promise<readonly SavedView[]>
  /** Replaces the view of the same name, and the one that is named so: a new name is given in one step. */
  saveView(keyId: string, view: SavedView, viewsMax: number, replaces?: string): Promise<ViewSaving>
  /** False if there is no such view. */
  removeView(keyId: string, name: string): Promise<boolean>
  /** Views of all keys whose query contains one of the texts, ignoring the case of ASCII letters; returns how many. */
  removeViewsWith(texts: readonly string[]): Promise<number>
}
