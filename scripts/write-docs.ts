/** Writes the documents that are made from the code (`npm run docs`). test/docs.test.ts fails where one of them differs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationMarkdown, envExample } from '../src/config/describe-options.ts'
import { ERRORS, type ErrorRow, TRANSPORT_ERRORS } from '../src/http/error-body.ts'
import { verificationMarkdown } from './verification-doc.ts'

const ROOT = join(import.meta.dirname, '..')

/** Path from the root of the repository, and content. */
export function generateDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configurationMarkdown()],
    ['docs/errors.md', errorsMarkdown()],
    ['docs/verification.md', verificationMarkdown()],
    ['.env.example', envExample()],
  ])
}

function errorsMarkdown(): string {
  return `# Errors

<!-- Generated from src/http/error-body.ts; a test fails when it differs. -->

Every answer with a status of 400 or above has exactly these two fields, whatever went wrong and wherever:

\`\`\`json
{"error":400,"message":"Invalid limit: 0 is too small. Allowed: a whole number of at least 1 (above 1000 it counts as 1000)."}
\`\`\`

\`error\` is the HTTP status as an integer. \`message\` is for people; its wording may change, so do not compare it. The header
\`x-request-id\` holds the id under which the request is found in the log: the caller's own where it is harmless, else a new one.
Answers with a \`Retry-After\` header say in it how many seconds to wait before the same request is sent again.

A failed DNS verification is no error: it is answered with 200 and \`isVerified: false\`.

The codes below name the reasons in the source and in the log; they are not part of the answer. Which of them an endpoint can
give is written in its OpenAPI document (see [api.md](api.md)).

## Refusals

${errorTable(ERRORS)}

## Before a request reaches an endpoint, and our own faults

${errorTable(TRANSPORT_ERRORS)}
`
}

function errorTable(rows: Readonly<Record<string, ErrorRow>>): string {
  const lines = Object.entries(rows)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, description, retryAfterSeconds }]) => {
      const retryAfter = retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`
      return `| ${status} | \`${code}\` | ${description} | ${retryAfter} |`
    })
  return ['| status | code | when | Retry-After |', '|---|---|---|---|', ...lines].join('\n')
}

if (import.meta.main) {
  for (const [path, text] of generateDocs()) {
    writeFileSync(join(ROOT, path), text)
    process.stdout.write(`${path}\n`)
  }
}
