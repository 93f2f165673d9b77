/** What all help texts share: the program as it is typed, and the examples at the end. */
import { PROGRAM } from '../../lib/program-name.ts'

export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return `\n${title}:\n${lines.map((line) => `  ${PROGRAM} ${line}`).join('\n')}`
}

/** As it is typed to reach the same server again. */
export function programFor({ url, keyFile }: { readonly url?: string; readonly keyFile?: string }): string {
  if (url === undefined || keyFile === undefined) return PROGRAM
  return `${PROGRAM} --url ${quoteForShell(url)} --key-file ${quoteForShell(keyFile)}`
}

/** A name that can be pasted into a shell. */
export function quoteForShell(text: string): string {
  return /^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
