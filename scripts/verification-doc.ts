/** docs/verification.md: what is checked, and every diagnosis with the error texts of its test cases. */
import { DIAGNOSES, type DiagnosisCode } from '../src/domains/checks/judging/diagnosis.ts'
import { VERIFY_DEADLINE_MS } from '../src/domains/verification/verify-domain.ts'
import { listCases, type VerificationCase, WRITTEN_APEX } from '../test/harness/dns/verification-case.ts'

export function verificationMarkdown(): string {
  const cases = listCases()
  return `${INTRODUCTION}
## Diagnoses

Every diagnosis has its own error text, which says what to change and where. The code is in the report of the command line; the
interface returns the text. The examples come from the cases under \`test/verification-cases\`, which are tested against a real name
server.

${Object.entries(DIAGNOSES)
  .map(([code, meaning]) => describeDiagnosis(code as DiagnosisCode, meaning, cases))
  .join('\n\n')}

## Warnings

Warnings are about records that work today but need attention. They are in the report of the command line and of
\`POST /v1/domains/{name}/verify\`, and never block verification. If the policy of a required record works only because our include comes
first, the warning has a diagnosis (${listCautionCodes(cases).join(', ')}), and the response of \`POST /api/v2/domain/{id}/verify\` has it
too, in \`verificationWarnings\`.

${listWarnings(cases).join('\n')}
`
}

function listCautionCodes(cases: readonly VerificationCase[]): readonly string[] {
  return [...new Set(cases.flatMap(({ expected }) => expected.get('caution') ?? []))].map((code) => `\`${code}\``)
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

/** With the domain name of the case files. */
function describeExample({ title, record, apex }: VerificationCase, words: string): string {
  return `- ${record.purpose}: ${title}\n  > ${words.replaceAll(apex, WRITTEN_APEX)}`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const INTRODUCTION = `# Domain verification

<!-- Generated from src/domains/checks and test/verification-cases by npm run docs; a test fails when it differs. -->

A check reports what is required, what was found in DNS, and what to do. The API (\`POST /api/v2/domain/{id}/verify\`), the schedule
and the command line all run the same check.

\`\`\`sh
bin/envelog domain verify example.com
bin/envelog dns check example.com --selector s1 --include spf.example.net
\`\`\`

The first command checks a domain that was added, and updates its status. The second checks any domain and stores nothing;
\`--public-key\` gives it a key to compare with. Both exit with code 0 (all correct), 1 (a record is missing or wrong) or 2 (DNS
queries failed), and print the whole report with \`--json\`.

## What is checked

| record | type | name | correct if |
|---|---|---|---|
| DKIM | TXT | \`<selector>._domainkey.<domain>\` | there is exactly one record, its key is ours byte for byte, and no tag forbids its use; a CNAME may point to it |
| SPF | TXT | \`<domain>\` | there is exactly one record, and a receiver that evaluates the whole policy reaches our include and lets the mail pass |
| DMARC | TXT | \`_dmarc.<domain>\` | there is exactly one record with a policy, at the domain or at its organizational domain |
| RETURN_PATH | CNAME | \`<label>.<domain>\` | it points to our host, or has our MX record and an SPF record with our include |
| TRACKING | CNAME | \`<label>.<domain>\` | it points to our host |
| MX | MX | \`<domain>\` | one of the records is ours |

DKIM and SPF are required. DMARC is recommended. The others are listed if the operator has configured a host for them
(\`ENVELOG_RETURN_PATH_HOST\`, \`ENVELOG_TRACKING_HOST\`, \`ENVELOG_MX_HOST\`). A record that is not required is checked and shown, but
does not block verification unless \`ENVELOG_REQUIRE_RECORDS\` lists it.

## Which servers are queried

- All name servers of the zone: their answers are fresh. Every server that answers must have a correct record, because some receivers
  will query it. A server that does not answer causes a warning.
- The configured resolvers (\`ENVELOG_DNS_SERVERS\`, else the system's), for comparison, and as a fallback if the name servers cannot be
  reached. A resolver that still caches an older answer is reported, with the seconds until that answer expires.
- If a record is missing, the names where it is often published by mistake.

A check ends within ${VERIFY_DEADLINE_MS / 1000} seconds. A query without an answer by then is reported as \`SYSTEM\`; it says nothing about the
record and changes no status.

A check sends at most 300 packets: 160 for the records themselves and 140 for everything that they lead to, such as the includes of an
SPF policy. A record that was not checked because they were used up, or because an SPF policy is too large (more than 2000 terms in
total or 8192 characters in a record), has the diagnosis \`check_limit\`, which changes no status either. Answers with more than 32 KB or
500 records are not read. Only public addresses of name servers are queried; a zone whose servers have private addresses is queried
through the configured resolvers.

At most 8 checks requested by a tenant run at a time; further ones wait for up to 4 seconds.

## How to read an error

| field | meaning |
|---|---|
| \`type\` | \`TXT\`, \`CNAME\`, \`MX\`: the record is missing or wrong. \`SYSTEM\`: the DNS query failed. \`CONFIG\`: the domain or the operator's setup is not ready. |
| \`error\` | what is wrong, what to change, and where |
| \`required\` | what to publish. For SPF this is the existing record with the missing mechanism added where it takes effect. |
| \`actual\` | what is published |
`
