/** What all help texts share: the program's name, and the examples at the end. */

/** As it is typed in a checkout. */
export const PROGRAM = 'bin/envelog'

export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example' : 'Examples'
  return `\n${title}:\n${lines.map((line) => `  ${PROGRAM} ${line}`).join('\n')}`
}

/** A name that can be pasted into a shell. */
export function quoteForShell(text: string): string {
  return /^[\w.@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
