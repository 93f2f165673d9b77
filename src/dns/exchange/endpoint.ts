/** The IP address and port of a name server. */
import { isIPv4, isIPv6 } from 'node:net'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

const DNS_PORT = 53

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`. Throws for anything else. */
export function parseEndpoint(text: string): Endpoint {
  if (isIPv6(text)) return { address: text, port: DNS_PORT }
  const [, bracketed, plain, port = DNS_PORT] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  if (!(bracketed === undefined ? isIPv4(address) : isIPv6(address))) throw new Error(`${text} is not an IP address`)
  return { address, port: Number(port) }
}

/** Includes the port only if it is not 53. */
export function formatEndpoint({ address, port }: Endpoint): string {
  if (port === DNS_PORT) return address
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}
