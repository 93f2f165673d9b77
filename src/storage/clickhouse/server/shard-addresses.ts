/**
 * Which addresses are servers of which shard. For versions that write an empty block to all other shards with every insert into a
 * distributed table: that is refused while another insert waits for its quorum there, and fails if the shard is away. Inserts of one
 * shard are sent to a server of it instead, if there is an address for it.
 */
import type { Address } from './address.ts'
import { parseTabSeparated } from './tab-separated.ts'

const ANSWER_TIMEOUT_MS = 2000

export class ShardAddresses {
  readonly #addresses: readonly Address[]
  readonly #sql: string
  /** From 0. Undefined: not exactly one, as behind an address of several servers. */
  readonly #shards = new Map<Address, number | undefined>()

  constructor(addresses: readonly Address[], cluster: string) {
    this.#addresses = addresses
    this.#sql = `SELECT DISTINCT shard_num FROM system.clusters WHERE cluster = '${cluster}' AND is_local FORMAT TabSeparated`
  }

  async listOf(shard: number): Promise<readonly Address[]> {
    await Promise.all(this.#addresses.map((address) => this.#learn(address)))
    return this.#addresses.filter((address) => this.#shards.get(address) === shard)
  }

  async #learn(address: Address): Promise<void> {
    if (this.#shards.has(address) || address.isAvoided) return
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
      const rows = parseTabSeparated(await address.request({ sql: this.#sql, settings: {}, signal }))
      this.#shards.set(address, rows.length === 1 ? Number(rows[0]?.[0]) - 1 : undefined)
    } catch {
      // It is asked again when it answers.
      address.avoid()
    }
  }
}
