/** What the servers of one installation agree on. Ports. */

/** Small values by name. */
export interface SettingStore {
  find(name: string): Promise<Buffer | undefined>
  /** The value that is stored afterwards: that of another server if it was faster. */
  findOrCreate(name: string, value: Uint8Array): Promise<Buffer>
  /** False, and nothing is changed, unless the value is still `before`. */
  replace(name: string, value: Uint8Array, before: Uint8Array): Promise<boolean>
}

/** Work that one server does for all. Times are the database's, so that no server's clock matters. */
export interface LeaseStore {
  /** Whether the work belongs to this server for this long. Claiming again prolongs it. */
  claim(name: string, forMs: number): Promise<boolean>
  /** Anyone may claim it now. Does nothing if it belongs to another server. */
  release(name: string): Promise<void>
}

export interface SharedState {
  readonly settings: SettingStore
  readonly leases: LeaseStore
  /** The database's clock, which all servers can compare their own with. */
  readClock(): Promise<number>
}
