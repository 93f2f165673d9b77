/** Whether what DNS says about a DKIM selector lets receivers verify our signatures (RFC 6376 section 3.6). */
import type { TxtAnswer } from './dns-resolver.ts'
import type { RequiredDnsRecord } from './domain.ts'
import { invalidRecord, type RecordOutcome, readValues, validRecord } from './record-outcome.ts'
import { parseTagList } from './tag-list.ts'

export function checkDkim(record: RequiredDnsRecord, answer: TxtAnswer): RecordOutcome {
  const read = readValues(record, answer)
  if ('outcome' in read) return read.outcome
  const { values } = read
  const [value = ''] = values
  // Section 3.6.2.2: with several records at a selector the result is undefined, even if one of them is right.
  const problem =
    values.length > 1
      ? `There are ${values.length} TXT records at ${record.name}, and receivers may read the wrong one. ` +
        'Keep one record with the required value and delete the others.'
      : findProblem(record, value)
  return problem === undefined ? validRecord(values) : invalidRecord(record, values, problem)
}

function findProblem(record: RequiredDnsRecord, value: string): string | undefined {
  const tags = parseTagList(value)
  const key = tags?.get('p')
  if (!tags || key === undefined || !hasGoodVersion(tags)) {
    return `The TXT record at ${record.name} is not a DKIM record. Replace it with the required value.`
  }
  return findKeyProblem(record, key) ?? findLimitProblem(record, tags)
}

/** Optional, but if it is there it comes first and is DKIM1 to the letter. */
function hasGoodVersion(tags: ReadonlyMap<string, string>): boolean {
  const version = tags.get('v')
  if (version === undefined) return true
  const [first] = tags.keys()
  return first === 'v' && version === 'DKIM1'
}

function findKeyProblem(record: RequiredDnsRecord, key: string): string | undefined {
  const wanted = parseTagList(record.value)?.get('p') ?? ''
  const published = key.replace(/[ \t\r\n]+/g, '')
  if (published === '') {
    return (
      `The key at ${record.name} is revoked: its p= tag is empty. Replace the record with the required value to use ` +
      'the key again.'
    )
  }
  if (isBase64(published) && Buffer.from(published, 'base64').equals(Buffer.from(wanted, 'base64'))) return undefined
  if (wanted.startsWith(published)) {
    return (
      `The key at ${record.name} is cut off: the first ${published.length} of ${wanted.length} characters match and ` +
      'the rest is missing. Publish the whole value as one TXT record; where a string is limited to 255 characters, ' +
      'split it into several quoted strings of the same record.'
    )
  }
  if (!isBase64(published)) {
    return (
      `The key at ${record.name} holds characters that no key has, such as quotes or backslashes. ` +
      'Replace the p= part with the required value, without quotes.'
    )
  }
  return `The key at ${record.name} is another one than ours. Replace the record with the required value.`
}

/** Tags that narrow down what the key is good for, and would make receivers pass it over. */
function findLimitProblem(record: RequiredDnsRecord, tags: ReadonlyMap<string, string>): string | undefined {
  const keyType = tags.get('k') ?? 'rsa'
  if (keyType !== 'rsa') {
    return `The record at ${record.name} says k=${keyType}, but the key is an RSA key. Write k=rsa or leave the tag out.`
  }
  if (!allows(tags.get('h'), ['sha256'])) {
    return `The record at ${record.name} does not allow sha256, with which mail is signed. Remove its h= tag.`
  }
  if (!allows(tags.get('s'), ['email', '*'])) {
    return `The record at ${record.name} does not allow the key for email. Remove its s= tag.`
  }
  return undefined
}

/** An absent tag allows everything; else one of the words must be in its colon-separated list. */
function allows(list: string | undefined, words: readonly string[]): boolean {
  if (list === undefined) return true
  return list.split(':').some((word) => words.includes(word.trim()))
}

/** Strict, because Buffer.from skips what it does not know and receivers do not. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
}
