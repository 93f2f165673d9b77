/** `domain list`: of one tenant or of all. */
import type { Command } from 'commander'
import type { Domain } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { toIsoTime } from '../lib/clock.ts'
import { requireTenantByName } from '../tenants/require-tenant.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { formatTable } from './text-table.ts'
import { toDomainJson } from './wire-mappers.ts'

const PAGE = 1000

export function addDomainList(parent: Command, runner: CommandRunner): void {
  parent
    .command('list')
    .description('List sender domains, sorted by name.')
    .option('--tenant <name>', 'only those of this tenant')
    .addHelpText('after', examples('domain list', 'domain list --tenant Acme --json'))
    .action((options: { readonly tenant?: string }) =>
      runner.withData(async ({ storage }) => {
        const tenant =
          options.tenant === undefined ? undefined : await requireTenantByName(storage.keys, options.tenant)
        const domains = await listAll(storage.domains, tenant?.id)
        const tenantNames = new Map((await storage.keys.listTenants()).map(({ id, name }) => [id, name]))
        return {
          json: { domains: await Promise.all(domains.map(toDomainJson)), count: domains.length },
          text: formatTable(
            ['NAME', 'TENANT', 'ACTIVE', 'APPROVED', 'VERIFIED', 'LAST CHECK', 'ID'],
            domains.map((domain) => toRow(domain, tenantNames.get(domain.tenantId) ?? '')),
            `There are no domains yet. Add one with: ${PROGRAM} domain add NAME --tenant TENANT`,
          ),
        }
      }),
    )
}

async function listAll(store: DomainStore, tenantId: string | undefined): Promise<readonly Domain[]> {
  const domains: Domain[] = []
  for (;;) {
    const page = await store.list({
      ...(tenantId !== undefined && { tenantId }),
      skip: domains.length,
      take: PAGE,
      orderBy: { field: 'name', direction: 'asc' },
    })
    domains.push(...page.domains)
    if (page.domains.length < PAGE) return domains
  }
}

function toRow(domain: Domain, tenantName: string): readonly string[] {
  const { lastVerificationCheckedAtMs: checkedAtMs } = domain
  return [
    domain.name,
    tenantName,
    yesOrNo(domain.isActive),
    yesOrNo(domain.isApproved),
    yesOrNo(domain.isVerified),
    checkedAtMs === undefined ? 'never' : toIsoTime(checkedAtMs),
    domain.id,
  ]
}

function yesOrNo(flag: boolean): string {
  return flag ? 'yes' : 'no'
}
