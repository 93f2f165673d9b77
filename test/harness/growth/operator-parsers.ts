/** Parsers of texts that operators write: options, secrets, networks. They may be generated, or damaged. */
import { listBrokenLines } from '../../../src/config/read-environment.ts'
import { dnsServers, duration, hostAndPort, hostName, hostNames, networks } from '../../../src/config/value-types.ts'
import { isNetwork, Networks } from '../../../src/lib/net/networks.ts'
import { parseSecrets } from '../../../src/lib/sealing/secret-text.ts'
import { parsePrintableName } from '../../../src/tenants/limits/printable-name.ts'
import type { Parser } from './growth.ts'
import { refusalOf, text } from './text-parser.ts'

const SECRET = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('hex')

export const TEXTS_OF_OPERATORS: readonly Parser[] = [
  text('option', ['10.0.0.0/8,192.0.2.1', '[::1]:53'], (value) =>
    [networks, duration({ atLeastMs: 1, atMostMs: 10 }), hostName, hostNames, hostAndPort, dnsServers].map((type) =>
      refusalOf(() => type.parse(value)),
    ),
  ),
  text('environment file', ['A=b\n# c\n'], (text) => listBrokenLines(text, '.env')),
  text('secrets', [`${SECRET}\n${SECRET}`], parseSecrets),
  text('network', ['10.0.0.0/8', '2001:db8::/32'], isNetwork),
  text('networks', ['10.0.0.0/8 '], (list) => new Networks(list.split(/[\s,]+/))),
  text('name', ['Acme mail'], (name) => parsePrintableName('a key', name)),
]
