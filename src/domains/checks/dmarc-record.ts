/** A DMARC record: its policy and how close the names of a message must be to the domain (RFC 7489 section 6.3). */
import { readTagList, type Tags } from './tag-list.ts'

export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

/** `strict`: the very same name; `relaxed`: any name of the same organization. */
export type DmarcAlignment = 'relaxed' | 'strict'

export interface DmarcRecord {
  /** Undefined where the tag is missing or says something else, which leaves the domain without a policy. */
  readonly policy: DmarcPolicy | undefined
  /** For names below the one that has the record. */
  readonly subdomainPolicy: DmarcPolicy | undefined
  readonly dkimAlignment: DmarcAlignment
  readonly spfAlignment: DmarcAlignment
  /** Tags that receivers will not understand, as they are written. */
  readonly odd: readonly string[]
}

/** Section 6.6.3: what does not begin with the version is some other record. Its letter case matters. */
export function isDmarcRecord(text: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text)
}

/** Undefined for what is no list of tags. */
export function readDmarcRecord(text: string): DmarcRecord | undefined {
  const list = readTagList(text)
  if (list.kind !== 'tags') return undefined
  const { tags } = list
  return {
    policy: readPolicy(tags.get('p')),
    subdomainPolicy: readPolicy(tags.get('sp')) ?? readPolicy(tags.get('p')),
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
