/** Judges whether the text of a TXT record lets receivers verify our signatures (RFC 6376 section 3.6.1, RFC 8463). */
import type { DkimAlgorithm } from '../../domain.ts'
import type { Problem } from '../judging/verdict.ts'
import { findDifference, RSA_BITS_MIN, readKey, withoutSpace } from './dkim-key-text.ts'
import { dkimWords } from './dkim-words.ts'
import { readTagList, type Tags, tagsOf } from './tag-list.ts'

/** The required record. */
export interface WantedDkim {
  readonly value: string
  readonly keyType: DkimAlgorithm
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
  return { warnings: listWarnings(tagsOf(text), wanted, at) }
}

function findProblem(text: string, wanted: WantedDkim, at: string): Problem | undefined {
  const list = readTagList(text)
  if (isBeginning(text, wanted)) {
    return { diagnosis: 'truncated', text: dkimWords.cutOff(at, text.length, wanted.value.length) }
  }
  if (list.kind === 'no_list') return { diagnosis: 'wrong_value', text: dkimWords.noRecord(at) }
  if (list.kind === 'repeated') return { diagnosis: 'repeated_tag', text: dkimWords.repeated(at, list.tag) }
  const { tags } = list
  const key = tags.get('p')
  const isDkim = key !== undefined || /^DKIM1\b/i.test(tags.get('v') ?? '')
  if (!isDkim) return { diagnosis: 'wrong_value', text: dkimWords.noRecord(at) }
  if (key === undefined) {
    const isJoined = /^DKIM1\b.*\bp=/is.test(tags.get('v') ?? '') || /\bp=/.test(tags.get('k') ?? '')
    return { diagnosis: 'wrong_value', text: isJoined ? dkimWords.noSemicolons(at) : dkimWords.noKey(at) }
  }
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
  return isGood ? undefined : { diagnosis: 'wrong_version', text: dkimWords.version(at, version) }
}

function findKeyProblem(tags: Tags, key: string, wanted: WantedDkim, at: string): Problem | undefined {
  const found = tags.get('k') ?? 'rsa'
  if (wanted.key === undefined) return findUnusable(found, key, at)
  const problem = findDifference(at, key, wanted.key, wanted.keyType)
  if (problem || found === wanted.keyType) return problem
  return { diagnosis: 'wrong_key_type', text: dkimWords.keyType(at, found, wanted.keyType) }
}

/** Any usable key is accepted. */
function findUnusable(keyType: string, key: string, at: string): Problem | undefined {
  if (withoutSpace(key) === '') return { diagnosis: 'key_revoked', text: dkimWords.revoked(at) }
  const isKnown = keyType === 'rsa' || keyType === 'ed25519'
  const strength = isKnown ? readKey(key, keyType) : undefined
  const isUsable = strength !== undefined && (keyType !== 'rsa' || strength.bits >= RSA_BITS_MIN)
  return isUsable ? undefined : { diagnosis: 'key_damaged', text: dkimWords.unusableKey(at, keyType) }
}

/** Tags that restrict the use of the key, so that receivers ignore it. */
function findLimitProblem(tags: Tags, at: string): Problem | undefined {
  const [hashes, services] = [tags.get('h'), tags.get('s')]
  if (!allows(hashes, ['sha256'])) return { diagnosis: 'hash_not_allowed', text: dkimWords.hash(at, hashes ?? '') }
  if (!allows(services, ['email', '*']))
    return { diagnosis: 'service_not_allowed', text: dkimWords.service(at, services ?? '') }
  return undefined
}

/** An absent tag allows everything; otherwise its colon-separated list must have one of the words. */
function allows(list: string | undefined, words: readonly string[]): boolean {
  return list === undefined || list.split(':').some((word) => words.includes(word.trim()))
}

function listWarnings(tags: Tags, { key }: WantedDkim, at: string): readonly string[] {
  const flags = (tags.get('t') ?? '').split(':').map((flag) => flag.trim())
  // Our own keys are strong enough.
  const isOther = key === undefined && tags.get('k') !== 'ed25519'
  const read = isOther ? readKey(tags.get('p') ?? '', 'rsa') : undefined
  return [
    ...(flags.includes('y') ? [dkimWords.testing(at)] : []),
    ...(read && read.bits < 2048 ? [dkimWords.weakKey(at, read.bits)] : []),
  ]
}
