/** A set of networks, written as addresses and CIDR blocks such as 10.0.0.0/8 or 2001:db8::/32. */
import { BlockList, isIP } from 'node:net'
import { plainAddress } from './client-network.ts'

export class Networks {
  /** As they were written. */
  readonly texts: readonly string[]
  readonly #list = new BlockList()

  /** Throws with the text that is not a network. */
  constructor(texts: readonly string[]) {
    this.texts = texts
    for (const text of texts) this.#add(text)
  }

  has(address: string): boolean {
    const plain = plainAddress(address)
    return isIP(plain) !== 0 && this.#list.check(plain, familyOf(plain))
  }

  #add(text: string): void {
    if (!isNetwork(text)) throw new Error(`${JSON.stringify(text)} is not a network`)
    const [address = '', prefix = bitsOf(address)] = text.split('/')
    this.#list.addSubnet(address, Number(prefix), familyOf(address))
  }
}

export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(prefix) <= bitsOf(address)
}

function bitsOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
