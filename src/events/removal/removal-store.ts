/** Removals and their progress. Port. */
import type { NewRemoval, Removal, RemovalProgress } from './removal.ts'

export interface RemovalStore {
  /**
   * From this moment on the tenant does not exist: its keys, sessions and domains go with it, and no event of its domains is
   * stored any more, not even one that is on its way. Undefined if there is no such tenant.
   */
  removeTenant(tenantId: string, removal: NewRemoval): Promise<Removal | undefined>
  /** The same for one domain. Its number never comes to mean another one. */
  removeDomain(domainId: string, removal: NewRemoval): Promise<Removal | undefined>
  /** `object`: the digest of the address. */
  addRecipient(address: string, object: string, removal: NewRemoval): Promise<Removal>
  find(id: string): Promise<Removal | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly Removal[]>
  /** Oldest first. */
  listUnfinished(): Promise<readonly Removal[]>
  /** In the stage `scrub` the address is forgotten. */
  save(id: string, progress: RemovalProgress): Promise<void>
  /** Overwrites what deleted rows have left on the disk. False if that is not possible at the moment. */
  scrub(): Promise<boolean>
  finish(id: string, nowMs: number): Promise<void>
}
