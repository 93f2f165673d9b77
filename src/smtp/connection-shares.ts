/** Connections by client network. Each network may have a share of the free ones, so that a few networks cannot use up all. */
import { clientNetworkOf, plainAddress } from '../lib/net/client-network.ts'

export interface ShareLimits {
  readonly total: number
  readonly perNetwork: number
}

/** One network may have a quarter of the free connections, one site half: a site can have very many networks. */
const NETWORK_SHARE = 4
const SITE_SHARE = 2

export class ConnectionShares {
  readonly #limits: ShareLimits
  readonly #held = new Map<string, number>()
  #count = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  /** False if the client has its share already. */
  take(address: string): boolean {
    const { total, perNetwork } = this.#limits
    const free = total - this.#count
    if (free <= 0) return false
    const [network, site] = keysOf(address)
    if (this.#heldBy(network) >= Math.min(perNetwork, Math.max(1, free / NETWORK_SHARE))) return false
    if (this.#heldBy(site) >= Math.max(1, free / SITE_SHARE)) return false
    this.#change(address, 1)
    return true
  }

  /** Once for each connection that was taken. */
  giveBack(address: string): void {
    this.#change(address, -1)
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0
  }

  #change(address: string, by: number): void {
    this.#count += by
    for (const key of keysOf(address)) {
      const held = this.#heldBy(key) + by
      if (held > 0) this.#held.set(key, held)
      else this.#held.delete(key)
    }
  }
}

/** The network, and the site that it belongs to: an IPv6 /48 (RFC 6177), an IPv4 /24. */
function keysOf(address: string): readonly [network: string, site: string] {
  const network = clientNetworkOf(address)
  const site = network.endsWith('/64')
    ? network.split(':').slice(0, 3).join(':')
    : plainAddress(address).split('.').slice(0, 3).join('.')
  return [network, `site ${site}`]
}
