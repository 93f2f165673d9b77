/**
 * The program of this checkout in a few files, for whole runs of the tests, which start it hundreds of times: Node takes about a millisecond
 * for each of some 500 source files. The code is the same, and it knows the files of the checkout, such as migrations, by their own paths.
 */
import { copyFileSync, globSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'src')
/** Modules that commands start. */
const PROGRAMS = ['main.ts', 'cli/main.ts']
const THREADS = globSync('**/*-thread.ts', { cwd: SOURCE })
const nameOf = (entry: string) => entry.replace(/\.ts$/, '')

/** Fills an empty folder with an installation that has the launcher and the packages of the checkout. */
export async function bundleProgram(folder: string): Promise<void> {
  const target = join(folder, 'dist')
  await write(PROGRAMS, target)
  // Each in one file: those that are shared among all would be twenty for a thread that is started hundreds of times.
  for (const thread of THREADS) await write([thread], target)
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(ROOT, 'bin/envelog'), join(folder, 'bin/envelog'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

async function write(entries: readonly string[], target: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [nameOf(entry), join(SOURCE, entry)])),
    platform: 'node',
    // Packages stay where they are: some look for files beside their own.
    external: /^[^./]/,
    plugins: [keepPlaces((entry) => join(target, `${nameOf(entry)}.js`))],
  })
  await bundle.write({ dir: target, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunk-[hash].js' })
  await bundle.close()
}

/** What modules know about their own place stays true, except that threads are started from the bundle. */
function keepPlaces(bundled: (entry: string) => string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(SOURCE)) return null
      const placed = code
        .replace(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (url, path: string) => {
          const entry = relative(SOURCE, resolve(dirname(id), path))
          return THREADS.includes(entry) ? `new URL('${pathToFileURL(bundled(entry)).href}')` : url
        })
        .replace(/\bimport\.meta\.main\b/g, `process.argv[1] === '${bundled(relative(SOURCE, id))}'`)
        .replace(/\bimport\.meta\.dirname\b/g, `'${dirname(id)}'`)
        .replace(/\bimport\.meta\.filename\b/g, `'${id}'`)
        .replace(/\bimport\.meta\.url\b/g, `'${pathToFileURL(id).href}'`)
      return { code: placed }
    },
  }
}
