/** Collections of mail in text files: each message begins after a line with four #, which describes it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CollectedMail {
  /** The fields of the line before the message, which are separated by `|`. */
  readonly about: readonly string[]
  /** With the placeholders {PATH} and {RCPT} replaced. */
  write(path: string, recipient: string): Buffer
}

export function readMailCorpus(folder: string, pattern: string): readonly CollectedMail[] {
  const files = globSync(pattern, { cwd: folder }).toSorted()
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split(/^#### /m)
      .slice(1)
      .map(toMail),
  )
}

function toMail(entry: string): CollectedMail {
  const end = entry.indexOf('\n')
  const message = entry.slice(end + 1)
  return {
    about: entry
      .slice(0, end)
      .split('|')
      .map((field) => field.trim()),
    write: (path, recipient) =>
      Buffer.from(message.replaceAll('{PATH}', path).replaceAll('{RCPT}', recipient).replaceAll('\n', '\r\n')),
  }
}
