/**
 * The program of this checkout in a few files, for whole runs of the tests, which start it hundreds of times: Node takes about a millisecond
 * for each of some 500 source files. The code is the same, and it knows the files of the checkout, such as migrations, by their own paths.
 */
import { copyFileSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { currentBuildFolder } from '../../src/http/console/console-build.ts'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'src')
const CONSOLE_BUILD = join(SOURCE, 'http/console/console-build.ts')
/** Loaded by most starts, from hundreds of files, and none of them looks for files beside its own. Others stay where they are. */
const BUNDLED = ['@fastify/swagger', '@prometheus-io/client', 'commander', 'fastify', 'pino', 'tldts', 'typebox']
/** Modules that are started, by a command or as threads. */
const ENTRIES = ['main.ts', 'cli/main.ts', ...globSync('**/*-thread.ts', { cwd: SOURCE })]

/** Fills an empty folder with an installation that has the launcher and the packages of the checkout. */
export async function bundleProgram(folder: string): Promise<void> {
  const target = join(folder, 'dist')
  const nameOf = (entry: string) => entry.replace(/\.ts$/, '')
  const plugins = [lazyBuiltins(), knowConsole(), keepPlaces((entry) => join(target, `${nameOf(entry)}.js`))]
  for (const entry of ENTRIES) {
    // One by one: what several of them need would otherwise be cut into many files.
    const module = join(SOURCE, entry)
    const bundle = await rolldown({
      input: { [nameOf(entry)]: module },
      platform: 'node',
      external: isExternal,
      // Of a module that one command loads late and others do not.
      checks: { ineffectiveDynamicImport: false },
      plugins,
    })
    await bundle.write({
      dir: target,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunk-[hash].js',
      // What every start loads is one file, without the entry, which waits for files that need this one.
      codeSplitting: entry.endsWith('-thread.ts')
        ? false
        : { groups: [{ name: 'initial', tags: ['$initial'], test: (id) => id !== module }] },
    })
    await bundle.close()
  }
  // Otherwise Node parses every file to find out what it is.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(ROOT, 'bin/envelog'), join(folder, 'bin/envelog'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/** A package is bundled with everything that it needs, which may be another version than the program's own. */
function isExternal(id: string, importer: string | undefined): boolean {
  if (/^[./\0]/.test(id) || isBuiltin(id)) return false
  return !importer?.includes('/node_modules/') && !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`))
}

/**
 * An import of a module of Node makes it load everything that it could export, such as a whole HTTP client for `node:http`; this way
 * only what is used is loaded.
 */
function lazyBuiltins(): Plugin {
  const PREFIX = '\0builtin:'
  return {
    name: 'lazy-builtins',
    // The bundle's own helpers import one; they come before everything else.
    resolveId: (id, importer) => (isBuiltin(id) && !importer?.startsWith('\0') ? `${PREFIX}${id}` : null),
    load(id) {
      if (!id.startsWith(PREFIX)) return null
      return { code: `module.exports = process.getBuiltinModule('${id.slice(PREFIX.length)}')`, moduleType: 'js' }
    },
  }
}

/** The console as it is now: a server of the checkout reads all its sources to find out which of the builds is theirs. */
function knowConsole(): Plugin {
  const folder = JSON.stringify(currentBuildFolder())
  return {
    name: 'know-console',
    transform: (code, id) =>
      id === CONSOLE_BUILD
        ? { code: code.replace(/(function currentBuildFolder\([^)]*\)[^{]*\{)/, `$1 return ${folder};`) }
        : null,
  }
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
          return ENTRIES.includes(entry) ? `new URL('${pathToFileURL(bundled(entry)).href}')` : url
        })
        .replace(/\bimport\.meta\.main\b/g, `process.argv[1] === '${bundled(relative(SOURCE, id))}'`)
        .replace(/\bimport\.meta\.dirname\b/g, `'${dirname(id)}'`)
        .replace(/\bimport\.meta\.filename\b/g, `'${id}'`)
        .replace(/\bimport\.meta\.url\b/g, `'${pathToFileURL(id).href}'`)
      return { code: placed }
    },
  }
}
