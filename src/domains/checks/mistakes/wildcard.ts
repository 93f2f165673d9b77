/** Detects a foreign record that comes from a wildcard. */
import type { DnsAnswer, DnsRecordType } from '../../dns-resolver.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { describeField } from '../judging/plain-words.ts'
import type { Problem } from '../judging/verdict.ts'

/** Nobody publishes a record under this label. */
const UNLIKELY_LABEL = 'envelog-no-such-name-7f3a'

/** Undefined if the found record is not from a wildcard. `type`: of the found record, if not that of the required one. */
export async function findWildcard(inquiry: Inquiry, type?: DnsRecordType): Promise<Problem | undefined> {
  const { record, zone } = inquiry
  const { name } = record
  const beside = `${UNLIKELY_LABEL}.${name.slice(name.indexOf('.') + 1)}`
  const answers = await Promise.all([name, beside].map((asked) => inquiry.resolve(asked, type ?? record.type)))
  const [content, other] = answers.map(contentOf)
  if (content === NOTHING || content !== other) return undefined
  const text =
    `${name} has no record of its own: a wildcard record (*) answers for every name there. Create a ${record.type} ` +
    `record with the required value at ${name}; it takes precedence over the wildcard.${describeField(name, zone)}`
  return { diagnosis: 'wildcard', text }
}

const NOTHING = '[]'

/** The targets of the aliases, and the values. */
function contentOf(answer: DnsAnswer): string {
  const values = answer.kind === 'records' ? answer.values.toSorted() : []
  return JSON.stringify([...answer.aliases.map(({ target }) => target), ...values])
}
