/** A log with one message per piece of mail, and an intake for reports about them. */
import { createKnowledge } from '../../../src/classification/knowledge.ts'
import { readReport } from '../../../src/connectors/report/read-report.ts'
import type { EmailEvent } from '../../../src/events/event.ts'
import { listMessagePages } from '../../../src/events/log/list-pages.ts'
import { createSigner } from '../../../src/lib/sealing/signer.ts'
import { createReferences } from '../../../src/reports/reference.ts'
import { createReportIntake } from '../../../src/reports/report-intake.ts'
import { makeReturnPath } from '../../../src/reports/return-path.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import { createTenant } from '../../../src/tenants/create-tenant.ts'
import { sampleDomain } from '../app/sample-domain.ts'

export const SCENE_MS = Date.UTC(2026, 0, 15, 12)
export const DOMAIN = 'acme.test'
export const RECIPIENT = 'bob@example.org'

export type ReportScene = Awaited<ReturnType<typeof openReportScene>>

export async function openReportScene() {
  const clock = () => SCENE_MS
  const references = createReferences(createSigner(Buffer.alloc(32, 7), 'report reference'))
  const { log, control } = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' })
  const tenant = await createTenant({ keys: control.keys, clock }, 'Acme')
  const domain = await control.domains.create(sampleDomain(tenant.id, DOMAIN, { isApproved: true, isVerified: true }))
  const reports = createReportIntake({
    ...control,
    log,
    clock,
    retentionMs: 90 * 86_400_000,
    serviceMessageIdField: 'service_message_id',
    references,
    allowsUnsigned: false,
    knowledge: createKnowledge(),
    readReport,
  })
  return {
    reports,
    domains: control.domains,
    clock,
    /** Logs that a message was delivered, and returns its signed return path. */
    async deliver(messageId: string, recipient = RECIPIENT): Promise<string> {
      const timestamp = SCENE_MS / 1000 - 60
      const event = { id: messageId, timestamp, type: 'Delivery' as const, domain_name: DOMAIN, recipient }
      await log.append([{ domainNumber: domain.number, event }])
      return makeReturnPath(references, { domain: DOMAIN, messageId, recipient }, `bounces.${DOMAIN}`)
    },
    /** The events that reports added to a message. */
    async reported(messageId: string): Promise<readonly EmailEvent[]> {
      const found: EmailEvent[] = []
      for await (const texts of listMessagePages(log, [domain], messageId))
        found.push(...texts.map((text) => JSON.parse(text) as EmailEvent))
      return found.filter(({ type }) => type !== 'Delivery')
    },
    quarantined: () => control.quarantine.list({ afterId: 0, limit: 1000 }),
  }
}
