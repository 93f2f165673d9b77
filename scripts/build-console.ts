/**
 * Builds the console and the guide (`npm run build`), unless the current sources have been built already.
 *
 * Built in a temporary folder and renamed when complete: a server never finds an incomplete console, and of two concurrent
 * builds the later one is discarded.
 */
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { CONSOLE_DIST, currentBuildFolder } from '../src/http/console/console-build.ts'
import { CONTENT_CODINGS } from '../src/http/console/console-files.ts'
import { GUIDE_URL } from '../src/http/docs/site/site.ts'

/** A build that takes longer has been interrupted. */
const ABANDONED_MS = 10 * 60_000

const COMPRESS = {
  br: (content: Buffer) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  zstd: (content: Buffer) => zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  gzip: (content: Buffer) => gzipSync(content, { level: 9 }),
} as const

/** Other users may serve this build. */
process.umask(0o022)
const target = currentBuildFolder()
if (statSync(join(target, 'index.html'), { throwIfNoEntry: false })) {
  process.stdout.write(`The console is up to date: ${target}\n`)
} else {
  await build(target)
  process.stdout.write(`Console built: ${target}\n`)
}

async function build(folder: string): Promise<void> {
  // Loaded on demand: without vite the script can still report that the console is up to date.
  const vite = await import('vite')
  const temporary = join(CONSOLE_DIST, `.building-${process.pid}`)
  mkdirSync(temporary, { recursive: true })
  try {
    const configFile = join(import.meta.dirname, '../console/vite.config.ts')
    await vite.build({ configFile, configLoader: 'native', build: { outDir: temporary }, logLevel: 'warn' })
    await buildGuide(vite, join(temporary, 'guide'))
    compressFiles(temporary)
    renameSync(temporary, folder)
  } catch (error) {
    // A concurrent build finished first.
    if (!(error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST'].includes(String(error.code))))
      throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  removeOlder(folder)
}

/** The documents as pages, with a script and a style sheet of their own. */
async function buildGuide(vite: typeof import('vite'), folder: string): Promise<void> {
  const root = join(import.meta.dirname, '..')
  await vite.build({
    root: join(root, 'console'),
    configFile: false,
    publicDir: false,
    base: `${GUIDE_URL}/`,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { input: join(root, 'console/src/guide/main.ts') },
    },
  })
  const { writeGuide } = await import('./guide/write-guide.ts')
  writeGuide(root, folder)
}

function compressFiles(folder: string): void {
  for (const path of globSync('**/*.{html,js,css,svg,json}', { cwd: folder })) {
    const file = join(folder, path)
    const content = readFileSync(file)
    for (const { coding, ending } of CONTENT_CODINGS) {
      const compressed = COMPRESS[coding](content)
      if (compressed.length < content.length) writeFileSync(`${file}${ending}`, compressed)
    }
  }
}

/** Running servers have their files in memory. */
function removeOlder(folder: string): void {
  for (const path of globSync(['[0-9a-f]*', '.building-*'], { cwd: CONSOLE_DIST })) {
    const other = join(CONSOLE_DIST, path)
    const isRunning = path.startsWith('.building-') && Date.now() - statSync(other).mtimeMs < ABANDONED_MS
    if (basename(other) !== basename(folder) && !isRunning) rmSync(other, { recursive: true, force: true })
  }
}
