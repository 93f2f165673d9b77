/** Replaces what differs from one recording to the next. Every rule has a name, and nothing is replaced without one. */

interface Rule {
  readonly name: string
  readonly pattern: RegExp
  readonly replacement: string
}

/** On texts, so that everything around the replaced value is compared byte for byte. */
const RULES: readonly Rule[] = [
  { name: 'page token', pattern: /("next_token":")[^"]+/g, replacement: '$1<token>' },
  { name: 'page token in a request', pattern: /((?:next_token|cursor)=)[\w-]{40,}/g, replacement: '$1<token>' },
  // The quarantine's cursors are short numbers and stay.
  { name: 'log cursor', pattern: /("next":")[^"]{40,}/g, replacement: '$1<token>' },
  { name: 'stream position', pattern: /^(id: )[\w-]{20,}$/gm, replacement: '$1<position>' },
  { name: 'stream position in a request', pattern: /(last_event_id=)[\w-]{40,}/g, replacement: '$1<position>' },
  { name: 'CSRF token', pattern: /("csrfToken":")[^"]+/g, replacement: '$1<csrf token>' },
  { name: 'session', pattern: /(envelog_session=)[\w-]{20,}/g, replacement: '$1<session>' },
  { name: 'client id', pattern: /\bclient_[A-Za-z0-9]{12}\b/g, replacement: '<client id>' },
  { name: 'DKIM public key', pattern: /(\bp=)[A-Za-z0-9+/]{100,}={0,2}/g, replacement: '$1<public key>' },
  { name: 'secret', pattern: /("(?:secret|key|privateKey)":")[^"]{40,}/g, replacement: '$1<secret>' },
  { name: 'DKIM selector', pattern: /\benv[0-9a-f]{8}\b/g, replacement: '<selector>' },
  // Spread by the domain's id, which is random.
  { name: 'next automatic check', pattern: /("nextCheckAt":")[^"]+/g, replacement: '$1<time>' },
  { name: 'bytes on disk', pattern: /("bytes":)\d+/g, replacement: '$1<bytes>' },
  { name: 'file of the console', pattern: /(\/assets\/[\w.-]+?-)[\w-]{8}(?=\.)/g, replacement: '$1<hash>' },
  {
    name: 'random id',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
    replacement: '<id>',
  },
]

/** Answers of these say how the connection is used, or the time. */
const DROPPED_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export class Normalizer {
  readonly #names = new Map<string, string>()

  /** From now on `value` is written as `<name>`. */
  learn(name: string, value: string): void {
    if (value !== '') this.#names.set(value, `<${name}>`)
  }

  text(text: string): string {
    let result = text
    // Longest first: a key contains its id.
    for (const [value, name] of [...this.#names].sort(([a], [b]) => b.length - a.length)) {
      result = result.replaceAll(value, name)
    }
    return RULES.reduce((changed, { pattern, replacement }) => changed.replaceAll(pattern, replacement), result)
  }

  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const kept = Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.has(name))
    return Object.fromEntries(
      kept
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => [name, REQUEST_ID.test(value) ? '<request id>' : this.text(value)]),
    )
  }
}

/** Of our own metrics the names with their labels, not the numbers. Those of the process depend on what it happened to do. */
export function metricNames(text: string): string {
  const names = text
    .split('\n')
    .filter((line) => line.startsWith('envelog_'))
    .map((line) => line.replace(/ \S+$/, '').replaceAll(/="[^"]*"/g, ''))
  return [...new Set(names)].sort().join('\n')
}
