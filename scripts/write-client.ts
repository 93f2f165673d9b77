/** Writes the part of the TypeScript client that is generated from the OpenAPI documents. Run by `npm run docs`; a test compares. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCUMENTS } from '../src/http/docs/openapi.ts'
import { openAppFixture } from '../test/harness/app/app-fixture.ts'
import { type OpenapiDocument, operationsModule } from './client/operations.ts'

export const CLIENT_FILE = join(import.meta.dirname, '../clients/typescript/src/operations.ts')

export async function generateClient(): Promise<string> {
  await using app = await openAppFixture()
  const documents: OpenapiDocument[] = []
  for (const { name } of DOCUMENTS) documents.push((await app.get(`/openapi/${name}.json`, null)).json())
  return operationsModule(documents)
}

if (import.meta.main) {
  writeFileSync(CLIENT_FILE, await generateClient())
  process.stdout.write('clients/typescript/src/operations.ts\n')
}
