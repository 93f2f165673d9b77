/** /v1/admin/domains/{name}/keys: the DKIM keys of a domain. */
import { type Static, Type } from 'typebox'
import {
  DKIM_ALGORITHMS,
  DKIM_KEY_STATES,
  DNS_RECORD_PURPOSES,
  DNS_RECORD_STATUSES,
  type Domain,
} from '../../../../domains/domain.ts'
import { findKeyRecord } from '../../../../domains/records/dkim-keys.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { named, time } from '../../schema.wire.ts'

const DkimRecord = Type.Object(
  {
    type: Type.Enum(['TXT', 'CNAME', 'MX'], { type: 'string' }),
    name: Type.String({ description: 'Full name to publish the record at.' }),
    value: Type.String({ description: 'Value to publish.' }),
    purpose: Type.Enum([...DNS_RECORD_PURPOSES], { type: 'string' }),
    required: Type.Boolean({ description: 'Whether verification fails without it: true for the key in use.' }),
    status: Type.Enum([...DNS_RECORD_STATUSES], { type: 'string', description: 'What the last check found.' }),
    actual: Type.Array(Type.String(), { description: 'Values that the last check found at this name.' }),
  },
  { description: 'The DNS record of the key.' },
)

const keyFields = {
  name: Type.String({ description: 'The domain.' }),
  keys: Type.Array(
    Type.Object({
      selector: Type.String(),
      algorithm: Type.Enum([...DKIM_ALGORITHMS], { type: 'string' }),
      state: Type.Enum([...DKIM_KEY_STATES], {
        type: 'string',
        description:
          '`current` is in use, `next` is waiting to be promoted, `previous` is kept for mail still in transit.',
      }),
      createdAt: time('When it was created.'),
      dnsRecord: Type.Optional(DkimRecord),
    }),
    { description: 'Without the private keys.' },
  ),
}

export const DkimKeysSchema = named('DkimKeys', Type.Object(keyFields))
export type DkimKeys = Static<typeof DkimKeysSchema>

export const NewDkimKeySchema = named(
  'NewDkimKey',
  Type.Object({ ...keyFields, selector: Type.String({ description: 'The selector of the new key.' }) }),
)
export type NewDkimKey = Static<typeof NewDkimKeySchema>

export const NewDkimKeyBody = Type.Object({
  algorithm: Type.Optional(
    Type.Enum([...DKIM_ALGORITHMS], { type: 'string', default: 'rsa', description: 'RSA keys have 2048 bits.' }),
  ),
})

export const SelectorParams = Type.Object({
  ...DomainNameParams.properties,
  selector: Type.String({ description: 'The selector of the key.' }),
})

/** Used instead of a selector: the key in use. */
export const CURRENT_KEY = 'current'

export const PrivateKeyParams = Type.Object({
  ...DomainNameParams.properties,
  selector: Type.String({ description: `The selector of the key; \`${CURRENT_KEY}\` for the key in use.` }),
})

export const PrivateKeySchema = named(
  'DkimPrivateKey',
  Type.Object({
    name: Type.String({ description: 'The domain.' }),
    selector: Type.String(),
    privateKey: Type.String({ description: 'PKCS #8, PEM.' }),
  }),
)
export type PrivateKey = Static<typeof PrivateKeySchema>

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
        ...(record && { dnsRecord: { ...record, actual: [...record.actual] } }),
      }
    }),
  }
}
