/** The generations of the data secret, as they are stored: the newest only by its id, the others sealed with it. Port. */

export interface StoredGeneration {
  /** See `secretId`: also the check value of the newest secret, which is kept elsewhere. */
  readonly id: string
  readonly createdAtMs: number
  readonly resealedAtMs?: number
  /** Absent for the newest. */
  readonly sealedSecret?: Uint8Array
}

export interface SecretStore {
  /** Newest first. Empty before the first start of a version that has generations. */
  listGenerations(): Promise<readonly StoredGeneration[]>
  /** All at once or not at all. Throws AppError `conflict` and changes nothing unless the newest is still `newestId`. */
  replaceGenerations(generations: readonly StoredGeneration[], newestId: string | undefined): Promise<void>
}
