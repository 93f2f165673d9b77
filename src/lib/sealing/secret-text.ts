/** Secrets as an operator writes them: 64 hexadecimal digits each, the newest first. */
import { readFileSync, statSync } from 'node:fs'
import { SECRET_BYTES } from './secret-file.ts'

/** More than all generations together need; a larger file is the wrong one. */
const FILE_BYTES_MAX = 4096
/** 32 random bytes have about 30 different ones. A placeholder such as all zeros has few. */
const DISTINCT_BYTES_MIN = 12

/** Throws with a text that continues the sentence "the value …" and does not contain any of it. */
export function parseSecrets(text: string): readonly Buffer[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw new Error('is empty')
  return words.map(parseSecret)
}

function parseSecret(word: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(word)) throw new Error(`is not ${SECRET_BYTES * 2} hexadecimal digits`)
  const secret = Buffer.from(word, 'hex')
  if (new Set(secret).size < DISTINCT_BYTES_MIN) throw new Error('is not random')
  return secret
}

export function readSecrets(path: string): readonly Buffer[] {
  const found = statSync(path)
  // A pipe would be waited for, and could not be read again for a rotation.
  if (!found.isFile()) throw new Error('is not a file')
  const { size } = found
  if (size > FILE_BYTES_MAX) throw new Error(`has ${size} bytes, more than ${FILE_BYTES_MAX}`)
  return parseSecrets(readFileSync(path, 'utf8'))
}
