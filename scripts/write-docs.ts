/** Writes the documents that are generated from the code (`npm run docs`). test/docs.test.ts fails if one is out of date. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationMarkdown, envExample } from '../src/config/describe-options.ts'
import { ERRORS, type ErrorRow, TRANSPORT_ERRORS } from '../src/http/answers/error-body.ts'
import { examplesMarkdown } from './examples/examples-doc.ts'
import { verificationMarkdown } from './verification-doc.ts'

const ROOT = join(import.meta.dirname, '..')

/** Path from the root of the repository, and content. */
export function generateDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configurationMarkdown()],
    ['docs/errors.md', errorsMarkdown()],
    ['docs/examples.md', examplesMarkdown()],
    ['docs/verification.md', verificationMarkdown()],
    ['.env.example', envExample()],
  ])
}

function errorsMarkdown(): string {
  return `# Errors

<!-- Generated from src/http/answers/error-body.ts; a test fails when it differs. -->

Every response with a status of 400 or above has exactly these two fields:

\`\`\`json
{"error":400,"message":"Invalid limit: 0 is too small. Allowed: a whole number of at least 1 (above 1000 it counts as 1000)."}
\`\`\`

\`error\` is the HTTP status as an integer. \`message\` is for people; its wording may change, so do not compare it. The header
\`x-request-id\` contains the id of the request in the log: the caller's own if it is safe to log, otherwise a new one. A
\`Retry-After\` header is the number of seconds to wait before retrying the request.

A failed DNS verification is not an error: the status is 200, with \`isVerified: false\`.

The codes below are used in the source and in the log; they are not part of the response. The OpenAPI document (see
[api.md](api.md)) lists which of them each endpoint can return.

## Refusals

${errorTable(ERRORS)}

## Transport and server errors

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
