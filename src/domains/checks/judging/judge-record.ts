/** The steps that every check begins with: query the record, judge what each server answers, and weigh the verdicts. */
import type { DnsAnswer } from '../../dns-resolver.ts'
import { judgeAbsence } from './absence.ts'
import type { Inquiry } from './inquiry.ts'
import type { Verdict } from './verdict.ts'
import { weighEvidence } from './weigh-evidence.ts'

type FoundRecords = Extract<DnsAnswer, { readonly kind: 'records' }>

/** `judge` sees only answers with records. Also returns the answer that most servers gave. */
export async function judgeRecord(
  inquiry: Inquiry,
  judge: (found: FoundRecords) => Verdict | Promise<Verdict>,
): Promise<{ readonly verdict: Verdict; readonly answer: DnsAnswer }> {
  const { record } = inquiry
  const evidence = await inquiry.examine(record.name, record.type)
  const verdict = await weighEvidence(evidence, (answer) =>
    answer.kind === 'records' ? judge(answer) : judgeAbsence(record, answer, evidence),
  )
  return { verdict, answer: evidence.answer }
}
