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

const ADDRESSES = /^mailto:[^\s,]+@[^\s,]+(?:\s*,\s*mailto:[^\s,]+@[^\s,]+)*$/i

/** A map, because any word can be a tag, also the name of a method of every object. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['sp', POLICY],
  ['adkim', /^[rs]$/i],
  ['aspf', /^[rs]$/i],
  ['pct', /^(?:100|[1-9]?[0-9])$/],
  ['rua', ADDRESSES],
  ['ruf', ADDRESSES],
])

function listOdd(tags: Tags): readonly string[] {
  return [...tags].flatMap(([tag, value]) => (FORMS.get(tag)?.test(value) === false ? [`${tag}=${value}`] : []))
}
