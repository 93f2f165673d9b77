/** Names that people give to tenants and keys: printable, so that they cannot garble a listing or control a terminal. */
import { AppError } from '../../lib/app-error.ts'

export const NAME_LENGTH_MAX = 100
/** Control, format (invisible, direction-changing), unassigned and lone surrogate characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u

/** `whose` completes "The name of …". The caller handles empty names. Throws AppError `invalid_request`. */
export function parsePrintableName(whose: string, text: string): string {
  // Systems differ in how they compose accented letters.
  const name = text.normalize('NFC')
  const { length } = name
  if (length > NAME_LENGTH_MAX) {
    throw new AppError(
      'invalid_request',
      `The name of ${whose} can have at most ${NAME_LENGTH_MAX} characters; this one has ${length}`,
    )
  }
  if (UNPRINTABLE.test(name))
    throw new AppError('invalid_request', `The name of ${whose} must contain printable characters only`)
  if (name !== name.trim())
    throw new AppError('invalid_request', `The name of ${whose} must not start or end with a space`)
  return name
}
