/** Judges whether the text of a TXT record lets receivers verify our signatures (RFC 6376 section 3.6.1, RFC 8463). */

import type { Problem } from '../judging/verdict.ts'
import { compareKeys, type DkimKeyType, RSA_BITS_MIN, readKey, withoutSpace } from './dkim-key-text.ts'
import { describeKey, dkimWords } from './dkim-words.ts'
import { readTagList, type Tags, tagsOf } from './tag-list.ts'

/** The required record. */
export interface WantedDkim {
  readonly value: string
  readonly keyType: DkimKeyType
  /** Base64 without white space; absent if any key is accepted. */
  readonly key?: string
}

export interface DkimJudgement {
  /** Absent exactly if the record is correct. */
  readonly problem?: Problem
  readonly warnings: readonly string[]
}

/** Reads a required value; without `p=`, any key is accepted. */
export function readWantedDkim(value: string): WantedDkim {
  const tags = tagsOf(value)
  const key = tags.get('p')
  const keyType = tags.get('k') === 'ed25519' ? 'ed25519' : 'rsa'
  return { value, keyType, ...(key !== undefined && { key: withoutSpace(key) }) }
}

/** `at`: the name of the record, for the error text. */
export function judgeDkim(text: string, wanted: WantedDkim, at: string): DkimJudgement {
  const problem = findProblem(text, wanted, at)
  if (problem) return { problem, warnings: [] }
  const tags = tagsOf(text)
  return { warnings: [...listTestWarnings(tags, at), ...listStrengthWarnings(tags, wanted, at)] }
}

function findProblem(text: string, wanted: WantedDkim, at: string): Problem | undefined {
  const list = readTagList(text)
  if (isBeginning(text, wanted)) return dkimWords.cutOff(at, text.length, wanted.value.length, 'value')
  if (list.kind === 'no_list') return dkimWords.noRecord(at)
  if (list.kind === 'repeated') return dkimWords.repeated(at, list.tag)
  const { tags } = list
  const key = tags.get('p')
  const isDkim = key !== undefined || tags.get('v')?.toUpperCase() === 'DKIM1'
  if (!isDkim) return dkimWords.noRecord(at)
  if (key === undefined) return dkimWords.noKey(at)
  return findVersionProblem(tags, at) ?? findKeyProblem(tags, key, wanted, at) ?? findLimitProblem(tags, at)
}

/** Truncated within the key or before it; an empty key is a revoked one. */
function isBeginning(text: string, { key, value }: WantedDkim): boolean {
  if (key === undefined || text === '' || tagsOf(text).get('p') === '') return false
  return text.length < value.length && value.startsWith(text)
}

/** Optional; if present, it must be the first tag and exactly DKIM1. */
function findVersionProblem(tags: Tags, at: string): Problem | undefined {
  const version = tags.get('v')
  const [first] = tags.keys()
  const isGood = version === undefined || (first === 'v' && version === 'DKIM1')
  return isGood ? undefined : dkimWords.version(at, version)
}

function findKeyProblem(tags: Tags, key: string, wanted: WantedDkim, at: string): Problem | undefined {
  const found = tags.get('k') ?? 'rsa'
  if (wanted.key === undefined) return findUnusable(found, key, at)
  const problem = describeKey(at, compareKeys(key, wanted.key, wanted.keyType), wanted.keyType)
  if (problem) return problem
  return found === wanted.keyType ? undefined : dkimWords.keyType(at, found, wanted.keyType)
}

/** Any usable key is accepted. */
function findUnusable(keyType: string, key: string, at: string): Problem | undefined {
  if (withoutSpace(key) === '') return describeKey(at, { kind: 'empty' }, 'rsa')
  const isKnown = keyType === 'rsa' || keyType === 'ed25519'
  const strength = isKnown ? readKey(key, keyType) : undefined
  const isUsable = strength !== undefined && (keyType !== 'rsa' || strength.bits >= RSA_BITS_MIN)
  return isUsable ? undefined : dkimWords.unusableKey(at, keyType)
}

/** Tags that restrict the use of the key, so that receivers ignore it. */
function findLimitProblem(tags: Tags, at: string): Problem | undefined {
  const [hashes, services] = [tags.get('h'), tags.get('s')]
  if (!allows(hashes, ['sha256'])) return dkimWords.hash(at, hashes ?? '')
  if (!allows(services, ['email', '*'])) return dkimWords.service(at, services ?? '')
  return undefined
}

/** An absent tag allows everything; otherwise its colon-separated list must have one of the words. */
function allows(list: string | undefined, words: readonly string[]): boolean {
  return list === undefined || list.split(':').some((word) => words.includes(word.trim()))
}

function listTestWarnings(tags: Tags, at: string): readonly string[] {
  const flags = (tags.get('t') ?? '').split(':').map((flag) => flag.trim())
  return flags.includes('y') ? [dkimWords.testing(at)] : []
}

/** Only for keys that are not ours: ours are strong enough. */
function listStrengthWarnings(tags: Tags, { key }: WantedDkim, at: string): readonly string[] {
  if (key !== undefined || tags.get('k') === 'ed25519') return []
  const { bits } = readKey(tags.get('p') ?? '', 'rsa') ?? { bits: 2048 }
  return bits < 2048 ? [dkimWords.weakKey(at, bits)] : []
}
