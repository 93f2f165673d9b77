/** /v1/admin/domains/{name}/keys: the DKIM keys of a domain, their rotation, and the private key for the mail server. */
import type { DkimKey, Domain } from '../../../../domains/domain.ts'
import { requireKey } from '../../../../domains/keys/change-keys.ts'
import { promoteKey, retireKey } from '../../../../domains/keys/replace-key.ts'
import { rotateKey } from '../../../../domains/keys/rotate-key.ts'
import { openDkimPrivateKey } from '../../../../domains/records/dkim-key.ts'
import { findKeyInState } from '../../../../domains/records/dkim-keys.ts'
import { AppError } from '../../../../lib/app-error.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, created, json } from '../../../routes/route.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { requireNamedDomain } from '../../domains/named-domain.ts'
import {
  CURRENT_KEY,
  DkimKeysSchema,
  NewDkimKeyBody,
  NewDkimKeySchema,
  PrivateKeyParams,
  PrivateKeySchema,
  SelectorParams,
  toDkimKeys,
} from './dkim-keys.wire.ts'

export function addDkimKeys(route: AddAdminRoute, deps: AdministrationDeps): void {
  const { storage, clock, dkimSealer: sealer } = deps
  const { domains } = storage.control

  route('GET /v1/admin/domains/:name/keys', {
    operationId: 'listDkimKeys',
    access: { operator: 'read' },
    summary: 'List the DKIM keys of a domain',
    params: DomainNameParams,
    answer: json('The keys.', DkimKeysSchema),
    handle: async ({ params }) => toDkimKeys(await requireNamedDomain(domains, params.name)),
  })

  route('POST /v1/admin/domains/:name/keys', {
    operationId: 'rotateDkimKey',
    summary: 'Create a DKIM key',
    description:
      'Creates a second key; the current one stays in use. Publish its record, check the domain, then promote the key. ' +
      'The first key of a domain is used at once. 409 while another new key is waiting to be promoted.',
    params: DomainNameParams,
    body: NewDkimKeyBody,
    answer: created(NewDkimKeySchema),
    refusals: ['conflict', 'storage_unavailable'],
    async handle({ params, body, about }) {
      const { name } = await requireNamedDomain(domains, params.name)
      const { algorithm = 'rsa' } = await body()
      const { domain, key } = await rotateKey({ domains, clock, sealer }, { name, algorithm })
      about(`${name} ${key.selector}`)
      return { ...toDkimKeys(domain), selector: key.selector }
    },
  })

  const changes = [
    {
      verb: 'promote',
      operationId: 'promoteDkimKey',
      summary: 'Promote a DKIM key',
      description:
        'Makes it the key in use. The last check must have found its record in DNS; otherwise 409. A previous key can be promoted again.',
      change: promoteKey,
    },
    {
      verb: 'retire',
      operationId: 'retireDkimKey',
      summary: 'Delete a DKIM key',
      description: 'A key in use cannot be deleted (409). The record of a deleted key is no longer checked.',
      change: retireKey,
    },
  ]
  for (const { verb, change, ...texts } of changes) {
    route(`POST /v1/admin/domains/:name/keys/:selector/${verb}`, {
      ...texts,
      params: SelectorParams,
      answer: json('The keys after the change.', DkimKeysSchema),
      refusals: ['conflict', 'storage_unavailable'],
      async handle({ params: { selector, ...params } }) {
        const { name } = await requireNamedDomain(domains, params.name)
        return toDkimKeys(await change({ domains, clock }, { name, selector }))
      },
    })
  }

  route('GET /v1/admin/domains/:name/keys/:selector/private-key', {
    operationId: 'getDkimPrivateKey',
    audit: 'each',
    summary: 'Get the private key of a DKIM key',
    description: 'For the mail server that signs. Anyone who has it can sign mail as the domain.',
    params: PrivateKeyParams,
    answer: json('The key.', PrivateKeySchema),
    async handle({ params }) {
      const domain = await requireNamedDomain(domains, params.name)
      const key = params.selector === CURRENT_KEY ? requireCurrentKey(domain) : requireKey(domain, params.selector)
      return { name: domain.name, selector: key.selector, privateKey: openDkimPrivateKey(key, sealer) }
    },
  })
}

function requireCurrentKey(domain: Domain): DkimKey {
  const key = findKeyInState(domain, 'current')
  if (!key) throw new AppError('not_found', `${domain.name} has no DKIM key.`)
  return key
}
