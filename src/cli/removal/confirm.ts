/** Asks for a name before something is removed for good. */
import { createInterface } from 'node:readline/promises'
import { AppError } from '../../lib/app-error.ts'

export interface ConfirmOptions {
  readonly yes?: boolean
}

export const YES: readonly [string, string] = ['--yes', 'do not ask; needed if nobody can answer, as in scripts']

/** Throws AppError `invalid_request` unless the name is typed, or `--yes` was given. */
export async function confirm({ yes = false }: ConfirmOptions, what: string, name: string): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) {
    throw new AppError('invalid_request', `This ${what}, and cannot be undone. To do it, add --yes.`)
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await prompt.question(`This ${what}, and cannot be undone.\nType ${name} to continue: `)
    if (typed.trim().normalize('NFC') === name.normalize('NFC')) return
  } finally {
    prompt.close()
  }
  throw new AppError('invalid_request', 'That is not the name. Nothing was removed.')
}
