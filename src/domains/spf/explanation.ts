/** The words with which a domain explains a fail (RFC 7208 section 6.2). */
import type { Evaluation } from './evaluation.ts'
import { expandText } from './expand-target.ts'
import { parseMacroString } from './macro-string.ts'
import { valuesOf } from './spf-dns.ts'
import type { SpfRecord } from './spf-record.ts'
import { SpfSyntaxError } from './spf-syntax-error.ts'
import { toTargetName } from './target-name.ts'

/** Undefined where there are none; whatever is wrong on the way means the same. Counts to no limit: the result stands. */
export async function findExplanation(
  evaluation: Evaluation,
  domain: string,
  record: SpfRecord,
): Promise<string | undefined> {
  const exp = record.terms.find((term) => term.kind === 'exp')
  if (exp === undefined) return undefined
  const name = toTargetName(await expandText(evaluation, domain, exp.domainSpec))
  if (name === undefined) return undefined
  const [text, ...others] = valuesOf(await evaluation.ask(name, 'TXT'))
  if (text === undefined || others.length > 0) return undefined
  try {
    const explanation = await expandText(evaluation, domain, parseMacroString(text, 'explanation'))
    // A sender or HELO name beyond ASCII would make it unfit for an SMTP reply.
    return explanation === '' || /[^\x20-\x7e]/.test(explanation) ? undefined : explanation
  } catch (error) {
    if (error instanceof SpfSyntaxError) return undefined
    throw error
  }
}
