/** docs/verification.md: what is checked, and every diagnosis with the words of the case that shows it. */
import { DIAGNOSES, type DiagnosisCode } from '../src/domains/checks/diagnosis.ts'
import { VERIFY_DEADLINE_MS } from '../src/domains/verify-domain.ts'
import { listCases, type VerificationCase, WRITTEN_APEX } from '../test/harness/verification-case.ts'

export function verificationMarkdown(): string {
  const cases = listCases()
  return `${INTRODUCTION}
## Diagnoses

Each has words of its own, which say what to change and where. \`diagnosis\` is in the report of the command line; the interface has
the words. The examples are those of the cases under \`test/verification-cases\`, where they are tested against a real name server.

${Object.entries(DIAGNOSES)
  .map(([code, meaning]) => describeDiagnosis(code as DiagnosisCode, meaning, cases))
  .join('\n\n')}

## Warnings

What works today and should be looked at. Warnings are in the report of the command line and block nothing.

${listWarnings(cases).join('\n')}
`
}

function describeDiagnosis(code: DiagnosisCode, meaning: string, cases: readonly VerificationCase[]): string {
  const shown = cases.filter(({ expected }) => expected.get('diagnosis')?.includes(code))
  const examples = shown.map((one) => {
    const [error = ''] = one.expected.get('error') ?? []
    return describeExample(one, error)
  })
  return `### \`${code}\`\n\n${capitalize(meaning)}.\n\n${examples.join('\n')}`
}

function listWarnings(cases: readonly VerificationCase[]): readonly string[] {
  return cases.flatMap((one) => (one.expected.get('warning') ?? []).map((warning) => describeExample(one, warning)))
}

/** With the name that the files of the case have. */
function describeExample({ title, record, apex }: VerificationCase, words: string): string {
  return `- ${record.purpose}: ${title}\n  > ${words.replaceAll(apex, WRITTEN_APEX)}`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const INTRODUCTION = `# Domain verification

<!-- Generated from src/domains/checks and test/verification-cases by npm run docs; a test fails when it differs. -->

A check says what was wanted, what was found, and what to do. It is the same check wherever it is started:
\`POST /api/v2/domain/{id}/verify\`, the schedule, and the command line.

\`\`\`sh
bin/envelog domain verify example.com
bin/envelog dns check example.com --selector s1 --include spf.example.net
\`\`\`

The first is about a domain that was added, and updates its status. The second is about any domain, and stores nothing;
\`--public-key\` gives it a key to compare with. Both end with exit code 0 (right), 1 (wrong) or 2 (DNS could not be asked), and print
the whole report with \`--json\`.

## What is checked

| record | type | name | right when |
|---|---|---|---|
| DKIM | TXT | \`<selector>._domainkey.<domain>\` | there is one record, its key has the bytes of ours, and no tag forbids its use; a CNAME may lead to it |
| SPF | TXT | \`<domain>\` | there is one record, and a receiver that evaluates the whole policy comes to our include and passes it |
| DMARC | TXT | \`_dmarc.<domain>\` | there is one record with a policy, at the domain or at the organization above it |
| RETURN_PATH | CNAME | \`<label>.<domain>\` | it leads to our host, or has our MX and an SPF record with our include |
| TRACKING | CNAME | \`<label>.<domain>\` | it leads to our host |
| MX | MX | \`<domain>\` | one of the records is ours |

DKIM and SPF are required. DMARC is recommended. The others are asked for where the operator has a host for them
(\`ENVELOG_RETURN_PATH_HOST\`, \`ENVELOG_TRACKING_HOST\`, \`ENVELOG_MX_HOST\`). A record that is not required is checked and shown, and
blocks nothing unless \`ENVELOG_REQUIRE_RECORDS\` names it.

## Who is asked

- The name servers of the zone, all of them: their answers are fresh. All that answer must have a right record, because every one of
  them is asked by some receivers. Those that do not answer are a warning.
- The configured resolvers (\`ENVELOG_DNS_SERVERS\`, else the system's), for comparison, and in place of name servers that cannot be
  reached. One that remembers an older answer is named, with the seconds until it forgets.
- Where a record is missing, the places where people put it by mistake.

Everything ends within ${VERIFY_DEADLINE_MS / 1000} seconds. What was not answered by then is \`SYSTEM\`, says nothing about the record and
changes nothing.

## How to read an error

| field | meaning |
|---|---|
| \`type\` | \`TXT\`, \`CNAME\`, \`MX\`: the record is missing or wrong. \`SYSTEM\`: DNS could not be asked. \`CONFIG\`: the domain or the operator is not ready. |
| \`error\` | what is wrong, what to change, and where |
| \`required\` | what to publish. For SPF it is the record that is there, with what is missing put where it takes effect. |
| \`actual\` | what is published |
`
