/** Writes the file system of the container image into a new folder (`npm run package:image FOLDER`), for this machine's architecture. See Dockerfile. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeImageRoot } from './package/image-root.ts'

/** As in Dockerfile. */
const USER = 10_025

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: npm run package:image FOLDER')
process.umask(0o022)
const scratch = mkdtempSync(join(tmpdir(), 'envelog-image-'))
try {
  writeImageRoot(resolve(folder), process.arch === 'x64' ? 'amd64' : 'arm64', USER, scratch)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
