/**
 * Preloaded into the recorded server and its commands: the time is the number in the file that
 * RECORD_ANSWERS_CLOCK names, so that two recordings see the same times. Timers still run on the real clock.
 */
import { readFileSync } from 'node:fs'

const file = process.env['RECORD_ANSWERS_CLOCK']
if (file === undefined) throw new Error('RECORD_ANSWERS_CLOCK must name the file that holds the time')

const RealDate = Date
const now = () => Number(readFileSync(file, 'utf8'))

class FixedDate extends RealDate {
  constructor(...parts: readonly unknown[]) {
    super(...((parts.length === 0 ? [now()] : parts) as [number]))
  }
  static override now(): number {
    return now()
  }
}

globalThis.Date = FixedDate as DateConstructor
