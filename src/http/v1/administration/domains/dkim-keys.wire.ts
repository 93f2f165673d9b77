/** /v1/admin/domains/{name}/keys: the DKIM keys of a domain. */
import {
  DKIM_ALGORITHMS,
  DKIM_KEY_STATES,
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  type Domain,
} from '../../../../domains/domain.ts'
import { findKeyRecord } from '../../../../domains/records/dkim-keys.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import * as t from '../../../../lib/json-schema.ts'
import { DNS_RECORD_TYPES } from '../../../platform/domain.wire.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'

const DkimRecord = t.object(
  {
    type: t.oneOf(DNS_RECORD_TYPES),
    name: t.text('Full name to publish the record at.'),
    value: t.text('Value to publish.'),
    purpose: t.oneOf(DNS_RECORD_PURPOSES),
    required: t.flag('Whether verification fails without it: true for the key in use.'),
    status: t.oneOf(DNS_RECORD_STATUSES, 'What the last check found.'),
    actual: t.list(t.text(), 'Values that the last check found at this name.'),
  },
  'The DNS record of the key.',
)

const DkimKey = t.object({
  selector: t.text(),
  algorithm: t.oneOf(DKIM_ALGORITHMS),
  state: t.oneOf(
    DKIM_KEY_STATES,
    '`current` is in use, `next` is waiting to be promoted, `previous` is kept for mail still in transit.',
  ),
  createdAt: t.time('When it was created.'),
  dnsRecord: t.optional(DkimRecord),
})

export const DkimKeysSchema = t.named('DkimKeys', {
  name: t.text('The domain.'),
  keys: t.list(DkimKey, 'Without the private keys.'),
})
export type DkimKeys = t.Static<typeof DkimKeysSchema>

export const NewDkimKeySchema = t.named('NewDkimKey', {
  ...DkimKeysSchema.properties,
  selector: t.text('The selector of the new key.'),
})
export type NewDkimKey = t.Static<typeof NewDkimKeySchema>

export const NewDkimKeyBody = t.object({
  algorithm: t.optional(t.oneOf(DKIM_ALGORITHMS, 'RSA keys have 2048 bits.', { default: 'rsa' })),
})

const { name } = DomainNameParams.properties

export const SelectorParams = t.object({ name, selector: t.text('The selector of the key.') })

/** Used instead of a selector: the key in use. */
export const CURRENT_KEY = 'current'

export const PrivateKeyParams = t.object({
  name,
  selector: t.text(`The selector of the key; \`${CURRENT_KEY}\` for the key in use.`),
})

export const PrivateKeySchema = t.named('DkimPrivateKey', {
  name: t.text('The domain.'),
  selector: t.text(),
  privateKey: t.text('PKCS #8, PEM.'),
})
export type PrivateKey = t.Static<typeof PrivateKeySchema>

/** Lists the fields explicitly, so that private keys stay internal. */
export function toDkimKeys(domain: Domain): DkimKeys {
  return {
    name: domain.name,
    keys: domain.dkimKeys.map((key) => {
      const { selector, algorithm, state, createdAtMs } = key
      const record = findKeyRecord(domain, key)
      return {
        selector,
        algorithm,
        state,
        createdAt: toIsoTime(createdAtMs),
        ...(record && { dnsRecord: record }),
      }
    }),
  }
}
