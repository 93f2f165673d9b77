/** A folder that is deleted when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `parent`: for programs that treat files below /dev specially, where temporary files in memory are. */
export function openTemporaryFolder(parent = tmpdir()): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(parent, 'envelog-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
