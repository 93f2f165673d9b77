/** What the human-readable text of a report says about one recipient. */
import type { RecipientOutcome } from '../../../reports/report.ts'
import { pickEnhanced } from '../delivery-report.ts'
import type { MimeMessage } from '../mime/mime-message.ts'
import { readOwnWords } from './own-words.ts'
import { hasServerWords, readServerWords } from './server-words.ts'

/** The fields of a report of type plain text are not human-readable text. */
const FIELDS = /^(?:reporting-mta|final-recipient|original-recipient)[ \t]*:/im

/** Reading words takes longer than reading fields, and a report without diagnostics about many recipients is unusual. */
const DESCRIBED_MAX = 10
const LENGTH_MAX = 600

/** Adds the human-readable text to the outcomes that have no diagnostic text. */
export function describeOutcomes(
  outcomes: readonly RecipientOutcome[],
  mime: MimeMessage,
): readonly RecipientOutcome[] {
  if (!outcomes.some(lacksWords)) return outcomes
  const [words = ''] = readOwnWords(mime).words.split(FIELDS, 1)
  let left = DESCRIBED_MAX
  return outcomes.map((outcome) => {
    if (!lacksWords(outcome) || left === 0) return outcome
    left -= 1
    return describe(outcome, words, outcomes.length === 1)
  })
}

function lacksWords({ action, text }: RecipientOutcome): boolean {
  return text === undefined && (action === 'failed' || action === 'delayed')
}

function describe(outcome: RecipientOutcome, words: string, isOnly: boolean): RecipientOutcome {
  const about = outcome.addresses.map((address) => wordsAbout(words, address).slice(0, LENGTH_MAX)).find(hasServerWords)
  const { text, ...found } = readServerWords(about ?? (isOnly ? words : ''))
  if (text === undefined) return outcome
  // The status of the report counts; a code of another class is that of an earlier attempt.
  const status = outcome.enhancedCode ?? found.enhancedCode
  const isSameClass = status === undefined || found.code?.toString().startsWith(status.charAt(0)) === true
  return {
    ...outcome,
    text,
    code: outcome.code ?? (isSameClass ? found.code : undefined),
    enhancedCode: pickEnhanced(outcome.enhancedCode, found),
  }
}

/** From the address up to the next empty line; empty if the address is not named, or nothing follows it. */
export function wordsAbout(text: string, address: string): string {
  const at = text.indexOf(address)
  if (at === -1) return ''
  const start = at + address.length
  const end = text.indexOf('\n\n', start)
  return text.slice(start, end === -1 ? undefined : end).replace(/^[>:;"')\s]{1,20}/, '')
}

/** Addresses at the beginning of a line, and the words that follow each, up to an empty line or the next address. */
export function listRecipients(words: string, addresses: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let current: string | undefined
  for (const line of words.split('\n')) {
    const start = line.replace(/^[\s<"'*-]{1,20}/, '')
    const listed = addresses.find((address) => start.startsWith(address))
    if (listed !== undefined) current = found.has(listed) ? current : listed
    if (line.trim() === '') current = undefined
    if (current === undefined) continue
    const rest = listed === undefined ? line : start.slice(listed.length).replace(/^[>:;"')\s]{1,20}/, '')
    found.set(current, `${found.get(current) ?? ''}\n${rest}`)
  }
  return found
}
