/** A source of lines, portion by portion, with the position to save once a portion is stored. */
import { type Dirent, readdirSync } from 'node:fs'
import { AppError } from '../../../lib/app-error.ts'
import type { Change } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { whyUnreadable } from '../../files/why-unreadable.ts'

export interface Portion {
  readonly lines: readonly Buffer[]
  /** Committed after the lines are durable. */
  readonly changes: readonly Change[]
}

export interface Feed extends AsyncDisposable {
  /** The next lines, of bounded size; undefined if there are none for now. */
  next(): Promise<Portion | undefined>
  /** No more lines will ever come. */
  readonly hasEnded: boolean
}

/** Prints a message to stderr. */
export type Report = (words: string) => void

/** Throws AppError `not_found` if it cannot be read. */
export function listFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    const reason = whyUnreadable(error, 'folder')
    throw new AppError('not_found', `The folder ${path} cannot be read: ${reason}`, { cause: error })
  }
}
