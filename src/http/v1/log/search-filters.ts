/**
 * Converts the text of a search (`q`) to filters of the log. Throws AppError `invalid_request` with the part that is wrong, and
 * `forbidden` for an operator that the caller may not use.
 */
import { BOUNCE_CLASSES } from '../../../classification/bounce-classes.ts'
import { PROVIDERS } from '../../../classification/providers.ts'
import { idOfMessageId } from '../../../connectors/powermta/message-id.ts'
import type {
  LogExclusions,
  LogFilters,
  SearchedField,
  ShownFields,
  TextFilter,
} from '../../../events/log/log-query.ts'
import { requireSendingShown } from '../../../events/log/shown-fields.ts'
import { parseSearch, type SearchConditions, type SearchedText } from '../../../events/search/parse-search.ts'
import { AppError } from '../../../lib/app-error.ts'
import { known } from '../../../lib/known.ts'
import type { AskedFilters } from './combine-filters.ts'
import { toAddress, toCodeRange } from './filter-values.ts'

const ALL_FIELDS: readonly SearchedField[] = ['recipient', 'sender', 'from', 'subject']

export function toSearchFilters(q: string, shown: ShownFields): AskedFilters {
  const parsed = parseSearch(q)
  if ('problem' in parsed) throw new AppError('invalid_request', `Invalid q: ${parsed.problem}`)
  const { wanted, unwanted } = parsed
  // Checked first: a caller who may not use an operator gets 403 for invalid values too.
  if (namesSending(wanted) || namesSending(unwanted)) requireSendingShown(shown)
  const [id] = wanted.ids
  // A Message-ID may be known by several ids.
  const isMessageId = id !== undefined && idsOf(id).length > 1
  const texts = [...wanted.texts, ...(isMessageId ? [{ text: id }] : [])].map(toTextFilter)
  const [only] = texts
  // One word that can be nothing else: as it always was.
  const anyText = only?.ids?.length === 1 && texts.length === 1 ? only.text : undefined
  const excludedIds = unwanted.ids.map((id) => ({ text: id, fields: [], ids: idsOf(id) }))
  const without = known({
    ...toExact(unwanted),
    texts: listed([...unwanted.texts.map(toTextFilter), ...excludedIds]),
    answers: listed(unwanted.answers),
  })
  const filters: LogFilters = known({
    ...toExact(wanted),
    anyText,
    texts: anyText === undefined ? listed(texts) : undefined,
    answers: listed(wanted.answers),
    messageId: isMessageId ? undefined : id,
    without: Object.keys(without).length === 0 ? undefined : without,
  })
  return {
    ...known({ domains: listed(wanted.domains), withoutDomains: listed(unwanted.domains) }),
    filters,
  }
}

function namesSending({ sendingAddresses, sendingSources, sendingPools }: SearchConditions): boolean {
  return sendingAddresses.length + sendingSources.length + sendingPools.length > 0
}

type Exact = Pick<
  LogExclusions,
  'types' | 'codes' | 'providers' | 'classifications' | 'sendingAddresses' | 'sendingSources' | 'sendingPools'
>

function toExact(conditions: SearchConditions): Exact {
  const { types, codes, providers, classifications } = conditions
  return known({
    types: listed(types),
    codes: listed(codes.map(toCodeRange)),
    providers: listed(providers.map((name) => spelled(PROVIDER_NAMES, name))),
    classifications: listed(classifications.map((name) => spelled(CLASS_NAMES, name))),
    sendingAddresses: listed(conditions.sendingAddresses.map(toAddress)),
    sendingSources: listed(conditions.sendingSources),
    sendingPools: listed(conditions.sendingPools),
  })
}

function listed<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values
}

function toTextFilter({ text, fields }: SearchedText): TextFilter {
  return fields ? { text, fields } : { text, fields: ALL_FIELDS, ids: idsOf(text) }
}

/** Like the id of a report's message (docs/connectors/reports.md): a shorter one may be anything. */
const OWN_PART_MIN = 16

/** The ids that a message may have in the log if this is its Message-ID: the part that a sender filled with the id, or one derived from it. */
function idsOf(text: string): readonly string[] {
  const [, own] = /^([^@\s]+)@[^@\s]+$/.exec(text) ?? []
  if (own === undefined || own.length < OWN_PART_MIN) return [text]
  return [text, own, idOfMessageId(text)]
}

const PROVIDER_NAMES = byLowerCase(PROVIDERS.map(({ name }) => name))
const CLASS_NAMES = byLowerCase(Object.keys(BOUNCE_CLASSES))

function byLowerCase(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name.toLowerCase(), name]))
}

/** Events have the exact name; people need not know its spelling, if it is one of ours. */
function spelled(names: ReadonlyMap<string, string>, name: string): string {
  return names.get(name.toLowerCase()) ?? name
}
