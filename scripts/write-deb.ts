/**
 * Makes Debian packages (`npm run package:deb [-- FOLDER] [--arch arm64|amd64]`), of this machine's architecture by default. Prints their
 * paths. `--program FILE` is the npm package, if it has been made already.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeDebianPackage } from './package/debian-package.ts'
import { packProgram } from './package/pack-program.ts'
import { ARCHITECTURES, type Architecture } from './package/program-tree.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arch: { type: 'string', multiple: true, default: [process.arch === 'x64' ? 'amd64' : process.arch] },
    program: { type: 'string' },
  },
})
const architectures = values.arch.map((architecture) => {
  if (isArchitecture(architecture)) return architecture
  throw new Error(`--arch ${architecture}: choose ${Object.keys(ARCHITECTURES).join(' or ')}`)
})
process.umask(0o022)
const scratch = mkdtempSync(join(tmpdir(), 'envelog-deb-'))
try {
  const program = values.program === undefined ? packProgram(scratch) : resolve(values.program)
  for (const architecture of architectures) {
    process.stdout.write(`${writeDebianPackage(resolve(positionals[0] ?? '.'), program, architecture, scratch)}\n`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function isArchitecture(name: string): name is Architecture {
  return Object.hasOwn(ARCHITECTURES, name)
}
