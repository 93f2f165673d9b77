/**
 * Builds the console (`npm run build`), unless the folder for its sources as they are now is there already.
 *
 * Written to a folder of its own and renamed when complete: a server never finds half a console, and of two builds at once
 * the later one is thrown away.
 */
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { CONSOLE_DIST, currentBuildFolder } from '../src/http/console/console-build.ts'
import { CONTENT_CODINGS } from '../src/http/console/console-files.ts'

/** A build that takes longer has died. */
const ABANDONED_MS = 10 * 60_000

const COMPRESS = {
  br: (content: Buffer) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  zstd: (content: Buffer) => zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  gzip: (content: Buffer) => gzipSync(content, { level: 9 }),
} as const

/** Others may serve what one user has built. */
process.umask(0o022)
const target = currentBuildFolder()
if (statSync(join(target, 'index.html'), { throwIfNoEntry: false })) {
  process.stdout.write(`The console is built already: ${target}\n`)
} else {
  await build(target)
  process.stdout.write(`The console is built: ${target}\n`)
}

async function build(folder: string): Promise<void> {
  // Loaded only here: an installation without it can still ask whether there is something to build.
  const vite = await import('vite')
  const temporary = join(CONSOLE_DIST, `.building-${process.pid}`)
  mkdirSync(temporary, { recursive: true })
  try {
    const configFile = join(import.meta.dirname, '../console/vite.config.ts')
    await vite.build({ configFile, configLoader: 'native', build: { outDir: temporary }, logLevel: 'warn' })
    compressFiles(temporary)
    renameSync(temporary, folder)
  } catch (error) {
    // Somebody was faster.
    if (!(error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST'].includes(String(error.code))))
      throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  removeOlder(folder)
}

function compressFiles(folder: string): void {
  for (const path of globSync('**/*.{html,js,css,svg}', { cwd: folder })) {
    const file = join(folder, path)
    const content = readFileSync(file)
    for (const { coding, ending } of CONTENT_CODINGS) {
      const compressed = COMPRESS[coding](content)
      if (compressed.length < content.length) writeFileSync(`${file}${ending}`, compressed)
    }
  }
}

/** Servers that run hold what they serve in memory. */
function removeOlder(folder: string): void {
  for (const path of globSync(['[0-9a-f]*', '.building-*'], { cwd: CONSOLE_DIST })) {
    const other = join(CONSOLE_DIST, path)
    const isUnderWay = path.startsWith('.building-') && Date.now() - statSync(other).mtimeMs < ABANDONED_MS
    if (basename(other) !== basename(folder) && !isUnderWay) rmSync(other, { recursive: true, force: true })
  }
}
