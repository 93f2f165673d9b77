/**
 * Which addresses are servers of which shard. Reads of one shard are sent to its servers, which have half the work of a read of a
 * distributed table. Inserts as well, for versions that write an empty block to all other shards with every insert into a distributed
 * table: that is refused while another insert waits for its quorum there, and fails if the shard is away.
 */
import type { Address } from './address.ts'
import { failureKindOf } from './clickhouse-failure.ts'
import { SHARD_NAME } from './own-shard.ts'
import { parseTabSeparated } from './tab-separated.ts'

const ANSWER_TIMEOUT_MS = 2000
/** 2 comes before 10. */
const BY_NAME = new Intl.Collator('en', { numeric: true })

/** A server as it was when its address was learned. */
interface Server {
  /** From 0, by the place in the configuration. */
  readonly shard: number
  /** The macro in the paths of replication: it stays with the data when the configuration changes. */
  readonly name: string
}

export interface ShardServers {
  readonly name: string
  readonly addresses: readonly Address[]
}

export class ShardAddresses {
  readonly #addresses: readonly Address[]
  readonly #sql: string
  /** Undefined: of no shard or several, or without a macro. */
  readonly #servers = new Map<Address, Server | undefined>()
  /** How often it had failed then. */
  readonly #failures = new Map<Address, number>()
  readonly #learning = new Map<Address, Promise<void>>()
  /** The names, by the places. */
  #areInOrder: boolean | undefined

  constructor(addresses: readonly Address[], cluster: string) {
    this.#addresses = addresses
    this.#sql = `SELECT DISTINCT shard_num, (${SHARD_NAME}) FROM system.clusters WHERE cluster = '${cluster}' AND is_local FORMAT TabSeparated`
  }

  /**
   * For inserts: those that are certain to be of the shard. An address that failed may lead to another server now, such as a container
   * that was made anew, and is asked again before it is used.
   */
  async listOf(shard: number): Promise<readonly Address[]> {
    await this.#learnUnknown()
    const known = this.#listKnown(shard)
    const isCertain = (address: Address) => this.#failures.get(address) === address.failures
    const certain = known.filter(isCertain)
    if (certain.length > 0) return certain
    await Promise.all(known.map((address) => this.#learn(address)))
    return this.#listKnown(shard).filter(isCertain)
  }

  /**
   * For reads, which a server of another shard refuses. Undefined if there are none, or if the names of shards are not in the order of the
   * configuration: it may have been changed, and then events of a domain are on two shards.
   */
  async findServers(shard: number): Promise<ShardServers | undefined> {
    await this.#learnUnknown()
    // Also those that are avoided: a read of all shards fails on every server if one shard is lost.
    const addresses = this.#listKnown(shard)
    const [first] = addresses
    const name = first && this.#servers.get(first)?.name
    return name === undefined || !this.#areInOrder ? undefined : { name, addresses }
  }

  #listKnown(shard: number): readonly Address[] {
    return this.#addresses.filter((address) => this.#servers.get(address)?.shard === shard)
  }

  /** Those that failed since are asked again, but not waited for. */
  async #learnUnknown(): Promise<void> {
    const outdated = this.#addresses.filter(
      (address) => !address.isAvoided && this.#failures.get(address) !== address.failures,
    )
    const [known, unknown] = [
      outdated.filter((one) => this.#servers.has(one)),
      outdated.filter((one) => !this.#servers.has(one)),
    ]
    for (const address of known) void this.#learn(address)
    await Promise.all(unknown.map((address) => this.#learn(address)))
  }

  #add(address: Address, server: Server | undefined, failures: number): void {
    this.#servers.set(address, server)
    this.#failures.set(address, failures)
    const servers = [...this.#servers.values()].filter((known) => known !== undefined)
    this.#areInOrder = servers.every((one) =>
      servers.every((other) => Math.sign(one.shard - other.shard) === BY_NAME.compare(one.name, other.name)),
    )
  }

  /** Once at a time for each address. */
  #learn(address: Address): Promise<void> {
    const running = this.#learning.get(address) ?? this.#ask(address).finally(() => this.#learning.delete(address))
    this.#learning.set(address, running)
    return running
  }

  async #ask(address: Address): Promise<void> {
    const { failures } = address
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
      const [row, ...others] = parseTabSeparated(await address.request({ sql: this.#sql, settings: {}, signal }))
      const [place, name] = row ?? []
      const isOne = place !== undefined && name !== undefined && others.length === 0
      this.#add(address, isOne ? { shard: Number(place) - 1, name } : undefined, failures)
    } catch (error) {
      // Such as an account that may not read the macros. Others are asked again when they answer.
      if (failureKindOf(error) === 'bug') this.#add(address, undefined, failures)
      else address.avoid()
    }
  }
}
