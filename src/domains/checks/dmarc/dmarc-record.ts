/** A DMARC record: its policy and its alignment modes (RFC 7489 section 6.3). */
import { readTagList, type Tags } from '../dkim/tag-list.ts'

/** `strict`: the same name; `relaxed`: any name of the same organizational domain. */
type DmarcAlignment = 'relaxed' | 'strict'

export interface DmarcRecord {
  /** In lower case. Undefined if the tag is missing or has another value, which leaves the domain without a policy. */
  readonly policy: string | undefined
  readonly dkimAlignment: DmarcAlignment
  readonly spfAlignment: DmarcAlignment
  /** Tags that receivers will not understand, as published. */
  readonly odd: readonly string[]
}

const POLICY = /^(?:none|quarantine|reject)$/i

/** RFC 7489 6.6.3: a record that does not begin with the version is ignored. The version is case-sensitive. */
export function isDmarcRecord(text: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text)
}

/** Undefined if the text is not a list of tags. */
export function readDmarcRecord(text: string): DmarcRecord | undefined {
  const list = readTagList(text)
  if (list.kind !== 'tags') return undefined
  const { tags } = list
  return {
    policy: POLICY.exec(tags.get('p') ?? '')?.[0].toLowerCase(),
    dkimAlignment: readAlignment(tags.get('adkim')),
    spfAlignment: readAlignment(tags.get('aspf')),
    odd: listOdd(tags),
  }
}

function readAlignment(text: string | undefined): DmarcAlignment {
  return text?.toLowerCase() === 's' ? 'strict' : 'relaxed'
}

type Form = (value: string) => boolean

const isPolicy: Form = (value) => POLICY.test(value)
const isAlignment: Form = (value) => /^[rs]$/i.test(value)
const isPercentage: Form = (value) => /^(?:100|[1-9]?[0-9])$/.test(value)
/** Split first: one expression for the whole list would try every way to divide each address at its @ signs. */
const areAddresses: Form = (value) => value.split(',').every((address) => isAddress(address.trim()))

function isAddress(address: string): boolean {
  const at = address.indexOf('@', 'mailto:x'.length)
  return /^mailto:\S+$/i.test(address) && at !== -1 && at < address.length - 1
}

/** A map, because any word can be a tag, also the name of a method of every object. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['sp', isPolicy],
  ['adkim', isAlignment],
  ['aspf', isAlignment],
  ['pct', isPercentage],
  ['rua', areAddresses],
  ['ruf', areAddresses],
])

function listOdd(tags: Tags): readonly string[] {
  return [...tags].flatMap(([tag, value]) => (FORMS.get(tag)?.(value) === false ? [`${tag}=${value}`] : []))
}
