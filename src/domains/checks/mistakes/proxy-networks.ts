/** Networks of DNS providers that answer with addresses of their proxy instead of a record. */
import { type IpNetwork, isInNetwork, readIpAddress } from '../../ip-address.ts'

/** As published by the provider (https://www.cloudflare.com/ips). */
const CLOUDFLARE = [
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
].map(readNetwork)

/** The provider that operates the proxy; undefined for other addresses. */
export function findProxy(addressText: string): string | undefined {
  const address = readIpAddress(addressText)
  if (address === undefined) return undefined
  return CLOUDFLARE.some((network) => isInNetwork(address, network)) ? 'Cloudflare' : undefined
}

function readNetwork(text: string): IpNetwork {
  const [first = '', length = ''] = text.split('/')
  const address = readIpAddress(first)
  if (address === undefined) throw new TypeError(`${text} is not a network`)
  return { address, prefixLength: Number(length) }
}
