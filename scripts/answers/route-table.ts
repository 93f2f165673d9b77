/** The routes of the OpenAPI documents, and which of them were asked with success. */

interface Route {
  readonly name: string
  readonly method: string
  readonly path: RegExp
  isCovered: boolean
}

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Refused over the network, or only possible after a check has found another key's record. */
const NOT_ASKED = new Set([
  'POST /v1/admin/backup',
  'POST /v1/admin/domains/{name}/keys/{selector}/promote',
  'POST /v1/admin/domains/{name}/keys/{selector}/retire',
])

export class RouteTable {
  readonly #routes: readonly Route[]

  constructor(documents: readonly { readonly paths: Paths }[]) {
    const names = documents.flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    )
    // Fixed paths before patterns, as the router has it.
    this.#routes = names.sort((a, b) => count(a, '{') - count(b, '{')).map(toRoute)
  }

  has(name: string): boolean {
    return this.#routes.some((route) => route.name === name)
  }

  note(method: string, path: string, status: number): void {
    if (status >= 400) return
    const [pathname = ''] = path.split('?')
    const route = this.#routes.find((candidate) => candidate.method === method && candidate.path.test(pathname))
    if (route) route.isCovered = true
  }

  listUncovered(): readonly string[] {
    return this.#routes.filter(({ name, isCovered }) => !isCovered && !NOT_ASKED.has(name)).map(({ name }) => name)
  }
}

function toRoute(name: string): Route {
  const [method = '', path = ''] = name.split(' ')
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')
  return { name, method, path: new RegExp(`^${pattern}$`), isCovered: false }
}

function count(text: string, part: string): number {
  return text.split(part).length
}
