/** A data folder that is ready for traffic: one tenant with all domains, a key to read and a key to ingest. */
import { randomUUIDv7 } from 'node:crypto'
import { rmSync } from 'node:fs'
import { loadConfig } from '../../src/config/load-config.ts'
import { addDomain } from '../../src/domains/registration/add-domain.ts'
import type { EmailEvent } from '../../src/events/event.ts'
import { openService, type Service } from '../../src/open-service.ts'
import { createKey } from '../../src/tenants/create-key.ts'
import { createTenant } from '../../src/tenants/create-tenant.ts'
import { runCli } from '../../test/harness/programs/run-cli.ts'

const TENANT = 'Bench'
const DAY_MS = 86_400_000

export interface Installation {
  readonly dataDir: string
  readonly tenantId: string
  readonly tenantKey: string
  readonly ingestKey: string
  /** Numbers of the domains by name. */
  readonly domains: ReadonlyMap<string, number>
}

/** Further options of the service. */
type Environment = Readonly<Record<string, string>>

/** Opens the data folder of an installation in this process. */
export function openFolder(dataDir: string, environment: Environment = {}): Promise<Service> {
  return openService(loadConfig({ ENVELOG_DATA_DIR: dataDir, ...environment }))
}

export async function createInstallation(
  dataDir: string,
  domainNames: readonly string[],
  environment: Environment = {},
): Promise<Installation> {
  const service = await openFolder(dataDir, environment)
  try {
    const deps = { keys: service.storage.control.keys, clock: service.clock }
    const tenant = await createTenant(deps, TENANT)
    const { key: tenantKey } = await createKey(deps, { tenantName: TENANT })
    const { key: ingestKey } = await createKey(deps, 'operator', ['ingest'])
    const domains = await addDomains(service, domainNames)
    return { dataDir, tenantId: tenant.id, tenantKey, ingestKey, domains }
  } finally {
    await service.close()
  }
}

/** Adds another tenant with a domain of its own and these events. Returns its key. No server may run on the folder. */
export async function addTenant(dataDir: string, domainName: string, events: Iterable<EmailEvent>): Promise<string> {
  const service = await openFolder(dataDir)
  try {
    const deps = { keys: service.storage.control.keys, clock: service.clock }
    await createTenant(deps, domainName)
    const { key } = await createKey(deps, { tenantName: domainName })
    const domains = await addDomains(service, [domainName], domainName)
    const domainNumber = domains.get(domainName) ?? 0
    const attributed = [...events].map((event) => ({ domainNumber, event: { ...event, domain_name: domainName } }))
    await service.storage.log.append(attributed)
    return key
  } finally {
    await service.close()
  }
}

/** A consistent copy of everything, taken while the server runs. */
export async function copyInstallation(dataDir: string, into: string): Promise<void> {
  const backups = `${into}.backups`
  for (const args of [
    ['backup', backups],
    ['restore', backups, '--to', into],
  ]) {
    const { exitCode, stderr } = await runCli(args, { cwd: dataDir, env: { ENVELOG_DATA_DIR: dataDir } })
    if (exitCode !== 0) throw new Error(`${args[0]} failed: ${stderr}`)
  }
  rmSync(backups, { recursive: true })
}

/** All domains share the DKIM key of the first: to generate one for each would take minutes. */
async function addDomains(
  { storage, clock, dkimSealer, config }: Service,
  names: readonly string[],
  tenantName = TENANT,
): Promise<ReadonlyMap<string, number>> {
  const [firstName, ...otherNames] = names
  if (firstName === undefined) return new Map()
  const first = await addDomain(
    {
      domains: storage.control.domains,
      keys: storage.control.keys,
      sealer: dkimSealer,
      clock,
      spfInclude: config.spfInclude,
    },
    { name: firstName, tenantName, isActive: true },
  )
  const { number, ...model } = first
  // Not now: a thousand checks that are due at once would be measured with everything else.
  const recheck = { atMs: clock() + DAY_MS, step: 0 }
  const numbers = new Map([[firstName, number]])
  for (const name of otherNames) {
    numbers.set(name, (await storage.control.domains.create({ ...model, recheck, id: randomUUIDv7(), name })).number)
  }
  return numbers
}
