/** The whole report of a check as JSON: what a script, or a person without our colours, may want to know. */
import { type DomainReport, judgeReport } from '../domains/checks/domain-report.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from '../domains/spf/spf-tree.ts'

export function toReportJson(report: DomainReport): object {
  return {
    domain: report.domainName,
    outcome: judgeReport(report),
    records: report.records.map(({ record, diagnosis, error, warnings, evidence }) => ({
      ...record,
      ...(error && { diagnosis, error }),
      warnings,
      evidence,
    })),
    ...(report.spfTree && { spf: toSpfJson(report.spfTree) }),
  }
}

function toSpfJson({ root, ...totals }: SpfTree): object {
  return { ...totals, policy: toNodeJson(root) }
}

function toNodeJson({ domain, policy, terms }: SpfNode): object {
  return {
    domain,
    kind: policy.kind,
    ...(policy.kind === 'record' && { text: policy.record.text, problems: policy.record.problems }),
    ...(policy.kind === 'several_records' && { texts: policy.records.map(({ text }) => text) }),
    ...('reason' in policy && { reason: policy.reason }),
    terms: terms.map(toTermJson),
  }
}

/** Without the addresses, which are large numbers inside: the text has them. */
function toTermJson({ term, lookup, behind, target, voidFor, problem, child }: SpfTreeTerm): object {
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
