/** docs/examples.md: each call of calls.ts for curl and for Python. */
import { CALLS, type ExampleCall, WITHOUT_EXAMPLE } from './calls.ts'

export function examplesMarkdown(): string {
  const sections = Object.entries(CALLS).map(([endpoint, call]) => section(endpoint, call))
  const others = Object.entries(WITHOUT_EXAMPLE).map(([endpoint, reason]) => `| \`${endpoint}\` | ${reason} |`)
  return `# Examples

<!-- Generated from scripts/examples/calls.ts by npm run docs. -->

Every endpoint, with \`curl\` and with Python's standard library. A test runs all of them against a server. They use these variables:

\`\`\`sh
export URL=http://127.0.0.1:8025
export KEY=env_…         # a tenant's key: bin/envelog setup acme.test
export INGEST_KEY=env_…  # bin/envelog key create --operator --scope ingest
export ADMIN_KEY=env_…   # bin/envelog key create --operator --scope admin
\`\`\`

Other variables, such as \`$DOMAIN_ID\`, are values of earlier responses; \`$NOW\` is \`$(date +%s)\`. For Python, this function comes first:

\`\`\`python
${PYTHON}
\`\`\`

[api.md](api.md) and [api-v1.md](api-v1.md) describe parameters and responses, [errors.md](errors.md) the errors.

${sections.join('\n')}
## Endpoints without an example

| endpoint | why |
|---|---|
${others.join('\n')}
`
}

const PYTHON = `import json, os
from urllib.request import Request, urlopen

env = os.environ

def call(method, path, key=None, body=None):
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = key
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return urlopen(Request(env["URL"] + path, body, headers, method=method))`

function section(endpoint: string, call: ExampleCall): string {
  const [method = ''] = endpoint.split(' ')
  const note = call.note === undefined ? '' : `${call.note}\n\n`
  return `## \`${endpoint}\`\n\n${note}\`\`\`sh\n${toCurl(method, call)}\n\`\`\`\n\n\`\`\`python\n${toPython(method, call)}\n\`\`\`\n`
}

function toCurl(method: string, { key, path, body, text, isStream }: ExampleCall): string {
  const hasBody = body !== undefined || text !== undefined
  const words = [
    'curl',
    ...(isStream ? ['--no-buffer'] : []),
    // With a body, curl sends POST.
    ...(method === 'GET' || (method === 'POST' && hasBody) ? [] : [`-X ${method}`]),
    ...(key === undefined ? [] : [`-H "Authorization: $${key}"`]),
    `"$URL${path}"`,
  ]
  if (text !== undefined) return `printf '${text.replaceAll('\n', '\\r\\n')}' | ${words.join(' ')} --data-binary @-`
  if (body === undefined) return words.join(' ')
  const json = toJson(body)
  const quoted = json.includes('$') ? `"${json.replaceAll('"', '\\"')}"` : `'${json}'`
  return `${words.join(' ')} --json ${quoted}`
}

function toPython(method: string, { key, path, body, text, isStream }: ExampleCall): string {
  const words = [
    JSON.stringify(method),
    interpolate(path),
    ...(key === undefined ? [] : [`env["${key}"]`]),
    ...(body === undefined ? [] : [`${key === undefined ? 'body=' : ''}${toPythonValue(body)}`]),
    ...(text === undefined ? [] : [`b${JSON.stringify(text.replaceAll('\n', '\r\n'))}`]),
  ]
  const read = isStream ? 'readline' : 'read'
  return `print(call(${words.join(', ')}).${read}().decode())`
}

/** One line, with spaces; \`$NOW\` is a number. */
function toJson(body: object): string {
  return JSON.stringify(body, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll('{ ', '{')
    .replaceAll(' }', '}')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')
    .replaceAll('"$NOW"', '$NOW')
}

function toPythonValue(body: object): string {
  return toJson(body)
    .replaceAll(': true', ': True')
    .replaceAll('$NOW', 'int(env["NOW"])')
    .replaceAll(/"\$([A-Z_]+)"/g, 'env["$1"]')
}

function interpolate(path: string): string {
  if (!path.includes('$')) return JSON.stringify(path)
  return `f"${path.replaceAll(/\$([A-Z_]+)/g, "{env['$1']}")}"`
}
