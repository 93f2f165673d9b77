/** The OpenAPI documents of a server: each operation as a line of its own, and which of them were answered with success. */

interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Refused over the network, or only possible after a check has found the record of another key. */
const NOT_ASKED = new Set([
  'POST /v1/admin/backup',
  'POST /v1/admin/domains/{name}/keys/{selector}/promote',
  'POST /v1/admin/domains/{name}/keys/{selector}/retire',
])

export async function fetchDocuments(address: string): Promise<ReadonlyMap<string, OpenapiDocument>> {
  const fetchJson = async (path: string) => (await fetch(`${address}${path}`)).json()
  const { documents } = (await fetchJson('/openapi/index.json')) as { documents: { name: string; url: string }[] }
  const fetched = documents.map(async ({ name, url }) => [name, (await fetchJson(url)) as OpenapiDocument] as const)
  return new Map(await Promise.all(fetched))
}

/** Part by part: an operation that is added is then an addition, not a changed document. */
export function keepDocuments(
  recorder: { keepText(name: string, text: string): void },
  documents: ReadonlyMap<string, OpenapiDocument>,
): void {
  for (const [name, { paths, components = {}, ...rest }] of documents) {
    recorder.keepText(`OpenAPI ${name}`, JSON.stringify(rest))
    for (const [operation, content] of listOperations(paths)) {
      recorder.keepText(`OpenAPI ${name} ${operation}`, JSON.stringify(content))
    }
    for (const [kind, members] of Object.entries(components)) {
      for (const [member, schema] of Object.entries(members)) {
        recorder.keepText(`OpenAPI ${name} ${kind} ${member}`, JSON.stringify(schema))
      }
    }
  }
}

function listOperations(paths: OpenapiDocument['paths']): readonly (readonly [name: string, content: unknown])[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, content]) => [`${method.toUpperCase()} ${path}`, content] as const),
  )
}

export class RouteTable {
  /** The pattern of each operation's requests; fixed paths come first, as in the router. */
  readonly #patterns: ReadonlyMap<string, RegExp>
  readonly #covered = new Set<string>()

  constructor(documents: readonly OpenapiDocument[]) {
    const names = documents.flatMap(({ paths }) => listOperations(paths).map(([name]) => name))
    const parameters = (name: string) => name.split('{').length
    this.#patterns = new Map(
      names.sort((a, b) => parameters(a) - parameters(b)).map((name) => [name, toPattern(name)] as const),
    )
  }

  has(name: string): boolean {
    return this.#patterns.has(name)
  }

  note(method: string, path: string, status: number): void {
    if (status >= 400) return
    const asked = `${method} ${path.split('?')[0]}`
    const [name] = this.#patterns.entries().find(([, pattern]) => pattern.test(asked)) ?? []
    if (name !== undefined) this.#covered.add(name)
  }

  listUncovered(): readonly string[] {
    return [...this.#patterns.keys()].filter((name) => !this.#covered.has(name) && !NOT_ASKED.has(name))
  }
}

function toPattern(name: string): RegExp {
  const escaped = name.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}
