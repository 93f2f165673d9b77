/** Two tenants whose every name, address and id is a text that occurs nowhere else, and a third that does not exist. */
import { randomBytes, randomUUID } from 'node:crypto'
import { LOCAL } from '../../../src/events/ingest/quarantine-room.ts'
import type { AppFixture } from './app-fixture.ts'

/** The texts of a tenant by their role. Texts of the same role have the same length. */
export interface Marks {
  readonly tenantName: string
  readonly tenantId: string
  readonly clientId: string
  readonly domain: string
  readonly domainId: string
  readonly description: string
  readonly selector: string
  readonly publicKey: string
  readonly message: string
  readonly recipient: string
  readonly sender: string
  readonly from: string
  readonly subject: string
  readonly campaign: string
  readonly response: string
  /** Where its messages were sent from: not for a tenant, unless the operator allows it. */
  readonly sendingAddress: string
  readonly sendingSource: string
  readonly sendingPool: string
  /** The ids of a key with all scopes, and of one that may be revoked. */
  readonly keyId: string
  readonly spareKeyId: string
  /** In a quarantined record. */
  readonly quarantined: string
  /** In an entry of the audit log. */
  readonly audited: string
}

export interface TenantScene {
  readonly marks: Marks
  readonly keys: Readonly<Record<'all' | 'logs' | 'domains' | 'domainStats' | 'addDomains', string>>
}

const mark = (role: string) => `${role}${randomBytes(6).toString('hex')}`

/** Marks that are in no store. */
export function makeMarks(): Marks {
  return {
    tenantName: mark('tenant'),
    tenantId: randomUUID(),
    clientId: `client_${randomBytes(6).toString('hex')}`,
    domain: `${mark('domain')}.test`,
    domainId: randomUUID(),
    description: mark('description'),
    selector: `env${randomBytes(4).toString('hex')}`,
    publicKey: randomBytes(294).toString('base64'),
    message: mark('message'),
    recipient: `${mark('recipient')}@example.net`,
    sender: `${mark('sender')}@example.net`,
    from: mark('from'),
    subject: mark('subject'),
    campaign: mark('campaign'),
    response: mark('response'),
    sendingAddress: `2001:db8:${Array.from({ length: 5 }, () => `f${randomBytes(2).toString('hex').slice(1)}`).join(':')}:25`,
    sendingSource: mark('source'),
    sendingPool: mark('pool'),
    keyId: randomBytes(6).toString('hex'),
    spareKeyId: randomBytes(6).toString('hex'),
    quarantined: mark('quarantined'),
    audited: mark('audited'),
  }
}

/** A message id that every tenant of the scene uses. */
export const SHARED_MESSAGE = 'message-of-both'

export async function openTenantScene(fixture: AppFixture): Promise<TenantScene> {
  const wanted = makeMarks()
  const { tenantName, domain, description } = wanted
  const administer = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fixture.post(path, fixture.operatorKey, { payload: JSON.stringify(body) })
    if (answer.statusCode !== 201) throw new Error(`${path} answered ${answer.statusCode} ${answer.body}`)
    return answer.json<Record<string, unknown>>()
  }
  const tenant = await administer('/v1/admin/tenants', { name: tenantName })
  const asked = { name: domain, tenant: tenantName, active: true, description }
  const { id: domainId } = await administer('/v1/admin/domains', asked)
  const [dkimKey] = (await fixture.storage.control.domains.findByName(domain))?.dkimKeys ?? []
  const createKey = async (...scopes: string[]) => {
    const { id, key } = await administer('/v1/admin/keys', { tenant: tenantName, ...(scopes.length > 0 && { scopes }) })
    return { id: String(id), key: String(key) }
  }
  const all = await createKey()
  const marks: Marks = {
    ...wanted,
    tenantId: String(tenant['id']),
    clientId: String(tenant['clientId']),
    domainId: String(domainId),
    selector: dkimKey?.selector ?? '',
    publicKey: dkimKey?.publicKey ?? '',
    keyId: all.id,
    spareKeyId: (await createKey()).id,
  }
  // Refused, and in the audit log.
  await fixture.app.inject({
    method: 'DELETE',
    url: `/v1/admin/keys/${marks.audited}`,
    headers: { authorization: fixture.operatorKey },
  })
  const record = {
    payload: Buffer.from(`{"${marks.quarantined}`),
    connector: 'native',
    source: LOCAL,
    reason: 'is not valid JSON',
  }
  await fixture.storage.control.quarantine.add([record], fixture.nowMs)
  await fixture.ingest([markedEvent(fixture, marks), markedEvent(fixture, marks, SHARED_MESSAGE)])
  const keys = {
    all: all.key,
    logs: (await createKey('logs')).key,
    domains: (await createKey('domains')).key,
    domainStats: (await createKey('domainStats')).key,
    addDomains: (await createKey('addDomains')).key,
  }
  return { marks, keys }
}

export function markedEvent(fixture: AppFixture, marks: Marks, id = marks.message) {
  return fixture.event({
    id,
    type: 'Bounce',
    domain_name: marks.domain,
    recipient: marks.recipient,
    sender: marks.sender,
    from: marks.from,
    subject: marks.subject,
    campaign: marks.campaign,
    response_code: 550,
    response_content: marks.response,
    sending_address: marks.sendingAddress,
    sending_source: marks.sendingSource,
    sending_pool: marks.sendingPool,
  })
}

/** The roles of the marks in a text. `except`: marks that also occur in this text, such as that of the request. */
export function findMarks(text: string, marks: Marks, except = ''): readonly string[] {
  const folded = text.toLowerCase()
  return Object.entries(marks)
    .filter(([, value]: [string, string]) => folded.includes(value.toLowerCase()) && !except.includes(value))
    .map(([role]) => role)
}

/** With roles in place of marks: what is left must not depend on whose they are. */
export function withoutMarks(text: string, marks: Marks): string {
  return Object.entries(marks).reduce((rest, [role, value]) => rest.replaceAll(value, `<${role}>`), text)
}
