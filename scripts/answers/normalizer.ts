/** Replaces the values that differ from one recording to the next, each by a rule with a name. */

/** For texts, not parsed values: everything around a replaced value is compared byte for byte. */
const RULES: readonly (readonly [name: string, pattern: RegExp, replacement: string])[] = [
  ['page token', /("next_token":")[^"]+/g, '$1<token>'],
  ['page token in a request', /((?:next_token|cursor)=)[\w-]{40,}/g, '$1<token>'],
  // The cursors of the quarantine are short numbers, which are not replaced.
  ['log cursor', /("next":")[^"]{40,}/g, '$1<token>'],
  ['stream position', /^(id: )[\w-]{20,}$/gm, '$1<position>'],
  ['stream position in a request', /(last_event_id=)[\w-]{40,}/g, '$1<position>'],
  ['CSRF token', /("csrfToken":")[^"]+/g, '$1<csrf token>'],
  ['session', /(envelog_session=)[\w-]{20,}/g, '$1<session>'],
  ['client id', /\bclient_[A-Za-z0-9]{12}\b/g, '<client id>'],
  ['DKIM public key', /(\bp=)[A-Za-z0-9+/]{100,}={0,2}/g, '$1<public key>'],
  ['end of a DKIM public key', /(",")[A-Za-z0-9+/]{100,}={0,2}(?=")/g, '$1<public key>'],
  ['return path', /(\bl[\w.-]*-)[0-9a-f]{20}(?=[@=])/g, '$1<signature>'],
  ['secret', /("(?:secret|key|privateKey)":")[^"]{40,}/g, '$1<secret>'],
  ['DKIM selector', /\benv[0-9a-f]{8}\b/g, '<selector>'],
  // Depends on the domain's id, which is random.
  ['next automatic check', /("nextCheckAt":")[^"]+/g, '$1<time>'],
  ['bytes on disk', /("bytes":)\d+/g, '$1<bytes>'],
  ['file of the console', /(\/assets\/[\w.-]+?-)[\w-]{8}(?=\.)/g, '$1<hash>'],
  ['random id', /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, '<id>'],
]

/** Headers about the connection and the time. */
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
    return RULES.reduce((changed, [, pattern, replacement]) => changed.replaceAll(pattern, replacement), result)
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

/** Names and labels of our own metrics, without the numbers. Those of the process depend on what it happened to do. */
export function metricNames(text: string): string {
  const names = text
    .split('\n')
    .filter((line) => line.startsWith('envelog_'))
    .map((line) => line.replace(/ \S+$/, '').replaceAll(/="[^"]*"/g, ''))
  return [...new Set(names)].sort().join('\n')
}
