/** The whole report of a check as JSON: what a script, or a person without our colours, may want to know. */
import type { RequiredDnsRecord } from '../domain.ts'
import { formatTree } from '../spf/tree/format-tree.ts'
import type { SpfNode, SpfNodePolicy, SpfTree, SpfTreeTerm } from '../spf/tree/spf-tree.ts'
import { type DomainReport, judgeReport, type RecordReport, type ReportOutcome } from './domain-report.ts'

export interface SpfNodeJson {
  readonly domain: string
  readonly kind: SpfNodePolicy['kind']
  /** Of the only record. */
  readonly text?: string
  readonly problems?: readonly unknown[]
  /** If there are several records. */
  readonly texts?: readonly string[]
  readonly reason?: string
  readonly terms: readonly SpfTermJson[]
}

export interface SpfTermJson extends Pick<SpfTreeTerm, 'lookup' | 'target' | 'problem'> {
  readonly text: string
  /** The earlier term that keeps it from being reached. */
  readonly behind?: string
  readonly voidFor?: readonly string[]
  /** Of an include or redirect that was followed. */
  readonly policy?: SpfNodeJson
}

/** The SPF policy as a check found it, to be stored with the domain. */
export interface StoredSpf extends Omit<SpfTree, 'root'> {
  readonly policy: SpfNodeJson
  /** The tree as lines of text. */
  readonly lines: readonly string[]
  readonly checkedAtMs: number
}

export interface ReportJson {
  readonly domain: string
  readonly outcome: ReportOutcome
  readonly records: readonly (Omit<RecordReport, 'record'> & RequiredDnsRecord)[]
  readonly spf?: Omit<SpfTree, 'root'> & { readonly policy: SpfNodeJson }
}

export function toReportJson(report: DomainReport): ReportJson {
  return {
    domain: report.domainName,
    outcome: judgeReport(report),
    records: report.records.map(({ record, diagnosis, error, warnings, cautions, evidence }) => ({
      ...record,
      ...(diagnosis && { diagnosis }),
      ...(error && { error }),
      warnings,
      cautions,
      evidence,
    })),
    ...(report.spfTree && { spf: toSpfJson(report.spfTree) }),
  }
}

function toSpfJson({ root, ...totals }: SpfTree): NonNullable<ReportJson['spf']> {
  return { ...totals, policy: toNodeJson(root) }
}

/** Longer ones are not stored: domains are read often, and zones may be arbitrarily large. */
const STORED_CHARACTERS = 16 * 1024

export function toStoredSpf(tree: SpfTree, checkedAtMs: number): StoredSpf {
  return { ...toSpfJson(tree), lines: formatTree(tree), checkedAtMs }
}

export function isStorable(spf: StoredSpf): boolean {
  return JSON.stringify(spf).length <= STORED_CHARACTERS
}

export function toNodeJson({ domain, policy, terms }: SpfNode): SpfNodeJson {
  return {
    domain,
    kind: policy.kind,
    ...(policy.kind === 'record' && { text: policy.record.text, problems: policy.record.problems }),
    ...(policy.kind === 'several_records' && { texts: policy.records.map(({ text }) => text) }),
    ...('reason' in policy && { reason: policy.reason }),
    terms: terms.map(toTermJson),
  }
}

/** Without the addresses, which are bigints; the text has them. */
function toTermJson({ term, lookup, behind, target, voidFor, problem, child }: SpfTreeTerm): SpfTermJson {
  return {
    text: term.text,
    ...(lookup !== undefined && { lookup }),
    ...(behind && { behind: behind.text }),
    ...(target !== undefined && { target }),
    ...(voidFor.length > 0 && { voidFor }),
    ...(problem && { problem }),
    ...(child && { policy: toNodeJson(child) }),
  }
}
