/** A DMARC record: its policy and its alignment modes (RFC 7489 section 6.3). */
import { readTagList, type Tags } from '../dkim/tag-list.ts'

export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

/** `strict`: the same name; `relaxed`: any name of the same organizational domain. */
export type DmarcAlignment = 'relaxed' | 'strict'

export interface DmarcRecord {
  /** Undefined if the tag is missing or has another value, which leaves the domain without a policy. */
  readonly policy: DmarcPolicy | undefined
  readonly dkimAlignment: DmarcAlignment
  readonly spfAlignment: DmarcAlignment
  /** Tags that receivers will not understand, as published. */
  readonly odd: readonly string[]
}

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
    policy: readPolicy(tags.get('p')),
    dkimAlignment: readAlignment(tags.get('adkim')),
    spfAlignment: readAlignment(tags.get('aspf')),
    odd: listOdd(tags),
  }
}

function readPolicy(text: string | undefined): DmarcPolicy | undefined {
  return DMARC_POLICIES.find((policy) => policy === text?.toLowerCase())
}

function readAlignment(text: string | undefined): DmarcAlignment {
  return text?.toLowerCase() === 's' ? 'strict' : 'relaxed'
}

const FORMS: Readonly<Record<string, RegExp>> = {
  sp: /^(?:none|quarantine|reject)$/i,
  adkim: /^[rs]$/i,
  aspf: /^[rs]$/i,
  pct: /^(?:100|[1-9]?[0-9])$/,
  rua: /^mailto:[^\s,]+@[^\s,]+(?:\s*,\s*mailto:[^\s,]+@[^\s,]+)*$/i,
  ruf: /^mailto:[^\s,]+@[^\s,]+(?:\s*,\s*mailto:[^\s,]+@[^\s,]+)*$/i,
}

function listOdd(tags: Tags): readonly string[] {
  return [...tags].flatMap(([tag, value]) => (FORMS[tag]?.test(value) === false ? [`${tag}=${value}`] : []))
}
