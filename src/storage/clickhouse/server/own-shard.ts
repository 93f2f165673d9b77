/**
 * Reads of one shard at one of its servers. A view that every server has tells the name of its shard: a server of another shard, which an
 * address can lead to through a load balancer, is noticed, and so is a change of the number of shards, which drops the view.
 */
import { literal } from '../literals.ts'

/** The macro that is in the paths of replication. */
export const SHARD_NAME = `SELECT substitution AS name FROM system.macros WHERE macro = 'shard'`

/** Exists as long as every domain has all its events on one shard, because the number of shards was never changed. */
export function ownShardView(shards: number): string {
  return `own_shard_${shards}`
}

/** Fails elsewhere than on a server of the shard with this name. */
export function isOwnShard(shards: number, name: string): string {
  return `throwIf((SELECT name FROM ${ownShardView(shards)}) != ${literal(name)}) = 0`
}
