/** Makes Debian packages (`npm run package:deb [-- FOLDER] [--arch arm64|amd64]`), of this machine's architecture by default. Prints their paths. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeDebianPackage } from './package/debian-package.ts'
import { ARCHITECTURES, type Architecture } from './package/program-tree.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { arch: { type: 'string', multiple: true, default: [process.arch === 'x64' ? 'amd64' : process.arch] } },
})
process.umask(0o022)
for (const architecture of values.arch) {
  if (!isArchitecture(architecture))
    throw new Error(`--arch ${architecture}: choose ${Object.keys(ARCHITECTURES).join(' or ')}`)
  const scratch = mkdtempSync(join(tmpdir(), 'envelog-deb-'))
  try {
    process.stdout.write(`${writeDebianPackage(resolve(positionals[0] ?? '.'), architecture, scratch)}\n`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function isArchitecture(name: string): name is Architecture {
  return Object.hasOwn(ARCHITECTURES, name)
}
