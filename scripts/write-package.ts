/** Makes the npm packages (`npm run package [FOLDER]`): the program as JavaScript with the console, and the TypeScript client. Prints their paths. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packFolder, packProgram, ROOT } from './package/pack-program.ts'
import { runProgram } from './package/run-program.ts'

const CLIENT = join(ROOT, 'clients/typescript')
const folder = resolve(process.argv[2] ?? '.')

process.stdout.write(`${packProgram(folder)}\n`)
rmSync(join(CLIENT, 'dist'), { recursive: true, force: true })
runProgram('npx', ['tsc', '-p', CLIENT], ROOT)
process.stdout.write(`${packFolder(CLIENT, folder)}\n`)
