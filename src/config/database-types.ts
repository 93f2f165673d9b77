/** Values that say where the databases of an installation with several servers are. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ValueType } from './value-types.ts'

/** A larger file is the wrong one. */
const FILE_BYTES_MAX = 4096

/** Never printed: it usually has a password. Checked no further than that it names a database; `pg` reads the rest. */
export const postgresUrl: ValueType<string> = {
  allowed: 'an address such as postgres://envelog:PASSWORD@db.example.com:5432/envelog',
  isHidden: true,
  parse: parsePostgresUrl,
}

function parsePostgresUrl(text: string): string {
  const [, name = ''] = /^postgres(?:ql)?:\/\/[^/?#\s]*\/([^/?#\s]*)(?:\?[^#\s]*)?$/.exec(text) ?? []
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw new Error('does not begin with postgres://')
  if (name === '') throw new Error('is not an address with the name of a database')
  return text
}

/** The address, because the file is read once. */
export const postgresUrlFile: ValueType<string> = {
  allowed: 'a path to a file with only the address, such as postgres://envelog:PASSWORD@db.example.com:5432/envelog',
  parse: (text) => parsePostgresUrl(readLine(text)),
}

export const password: ValueType<string> = { allowed: 'any text', isHidden: true, parse: (text) => text }

export const passwordFile: ValueType<string> = {
  allowed: 'a path to a file with only the password',
  parse: readLine,
}

/** Hidden if they contain a password, which they must not: addresses are printed and logged. */
export const httpUrls: ValueType<readonly string[]> = {
  allowed: 'addresses separated by commas, such as http://ch1.example.com:8123,http://ch2.example.com:8123',
  isHidden: (text) => text.includes('@'),
  parse: (text) => text.split(',').map((entry) => parseHttpUrl(entry.trim())),
}

function parseHttpUrl(entry: string): string {
  const url = URL.canParse(entry) ? new URL(entry) : undefined
  if (url?.username || url?.password) {
    throw new Error('contains a user or a password, which have options of their own')
  }
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash
  if (!isPlain) throw new Error('has an entry that is not an address such as http://127.0.0.1:8123')
  return url.origin
}

export const userName: ValueType<string> = {
  allowed: 'a name of at most 200 characters',
  parse(text) {
    if (text.length > 200 || /[^\P{C}]/u.test(text)) throw new Error('is not the name of a user')
    return text
  },
}

/** Used in statements as it is, so nothing in it needs quotes. */
export function nameOf(what: string): ValueType<string> {
  return {
    allowed: 'letters, digits and underscores, not beginning with a digit, at most 63 characters',
    parse(text) {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(text)) throw new Error(`is not the name of a ${what}`)
      return text
    },
  }
}

function readLine(path: string): string {
  const text = readSmall(resolve(path)).trim()
  if (text === '') throw new Error('is empty')
  if (/[\r\n]/.test(text)) throw new Error('has more than one line')
  return text
}

function readSmall(path: string): string {
  try {
    const { size } = statSync(path)
    if (size <= FILE_BYTES_MAX) return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new Error(`is larger than ${FILE_BYTES_MAX} bytes`)
}
