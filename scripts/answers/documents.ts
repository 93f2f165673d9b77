/** The OpenAPI documents of a server, taken apart: an operation that is added is an addition, not a changed document. */
import type { Recorder } from './recorder.ts'

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export async function fetchDocuments(port: number): Promise<ReadonlyMap<string, OpenapiDocument>> {
  const fetchJson = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).json()
  const { documents } = (await fetchJson('/openapi/index.json')) as { documents: { name: string; url: string }[] }
  const found = await Promise.all(
    documents.map(async ({ name, url }) => [name, (await fetchJson(url)) as OpenapiDocument] as const),
  )
  return new Map(found)
}

export function keepDocuments(recorder: Recorder, documents: ReadonlyMap<string, OpenapiDocument>): void {
  for (const [name, { paths, components = {}, ...rest }] of documents) {
    recorder.keepText(`OpenAPI ${name}`, JSON.stringify(rest))
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        recorder.keepText(`OpenAPI ${name} ${method.toUpperCase()} ${path}`, JSON.stringify(operation))
      }
    }
    for (const [kind, members] of Object.entries(components)) {
      for (const [member, schema] of Object.entries(members)) {
        recorder.keepText(`OpenAPI ${name} ${kind} ${member}`, JSON.stringify(schema))
      }
    }
  }
}
