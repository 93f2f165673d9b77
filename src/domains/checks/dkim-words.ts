/** What is wrong with a DKIM record, in words. `at` is where it stands. */
import { printable } from '../spf/printable-text.ts'
import type { DkimKeyType, KeyComparison } from './dkim-key-text.ts'
import type { Problem } from './verdict.ts'

const REPLACE = 'Replace the record with the required value.'

export const dkimWords = {
  several: (at: string, count: number, right: number): Problem => ({
    diagnosis: 'several_records',
    text:
      `There are ${count} TXT records at ${at}, and receivers may read the wrong one. ` +
      (right > 0
        ? 'One of them is right: keep that one and delete the others.'
        : 'Keep a single record with the required value and delete the others.'),
  }),

  split: (at: string, count: number): Problem => ({
    diagnosis: 'split_records',
    text:
      `The value at ${at} is spread over ${count} TXT records, of which receivers read one alone. Delete them and ` +
      'create a single TXT record with the required value; where a string is limited to 255 characters, that one record ' +
      'has several strings in quotation marks.',
  }),

  noRecord: (at: string): Problem => ({
    diagnosis: 'wrong_value',
    text: `The TXT record at ${at} is not a DKIM record. ${REPLACE}`,
  }),

  noKey: (at: string): Problem => ({
    diagnosis: 'wrong_value',
    text: `The DKIM record at ${at} has no p= tag, and so no key. ${REPLACE}`,
  }),

  cutOff: (at: string, matching: number, wanted: number, what: 'value' | 'key'): Problem => ({
    diagnosis: 'truncated',
    text:
      `The ${what} at ${at} is cut off: the first ${matching} of ${wanted} characters match and the rest is missing. ` +
      'Enter the whole value as one TXT record; where your DNS provider limits a string to 255 characters, split the ' +
      'value into several strings in quotation marks, all in the same record.',
  }),

  repeated: (at: string, tag: string): Problem => ({
    diagnosis: 'repeated_tag',
    text: `The record at ${at} has the tag ${tag}= twice, so receivers ignore the whole record. ${REPLACE}`,
  }),

  version: (at: string, found: string): Problem => ({
    diagnosis: 'wrong_version',
    text:
      found === 'DKIM1'
        ? `In the record at ${at} v=DKIM1 is not the first tag, so receivers ignore the record. Move it to the front or leave it out.`
        : `The record at ${at} says v=${printable(found)}, and receivers know only v=DKIM1, in capital letters. Write v=DKIM1 or leave it out.`,
  }),

  keyType: (at: string, found: string, wanted: DkimKeyType): Problem => ({
    diagnosis: 'wrong_key_type',
    text:
      wanted === 'rsa'
        ? `The record at ${at} says k=${printable(found)}, but the key is an RSA key. Write k=rsa or leave the tag out.`
        : `The record at ${at} says k=${printable(found)}, but the key is an Ed25519 key. Write k=ed25519.`,
  }),

  hash: (at: string, found: string): Problem => ({
    diagnosis: 'hash_not_allowed',
    text: `The record at ${at} says h=${printable(found)}, which does not allow sha256, with which mail is signed. Remove its h= tag.`,
  }),

  service: (at: string, found: string): Problem => ({
    diagnosis: 'service_not_allowed',
    text: `The record at ${at} says s=${printable(found)}, which does not allow the key for email. Remove its s= tag.`,
  }),

  testing: (at: string): string =>
    `The record at ${at} says t=y: receivers may treat signed mail as if it were not signed. Remove t=y when you have finished testing.`,

  weakKey: (at: string, bits: number): string => `The key at ${at} has ${bits} bits; use one of 2048 bits or more.`,

  unusableKey: (at: string, type: string): Problem => ({
    diagnosis: 'key_damaged',
    text: `The p= tag at ${at} holds no ${type === 'rsa' ? 'RSA' : 'Ed25519'} key that receivers could read. Replace it with the public key of the mail server.`,
  }),
}

/** Undefined where it is the same key. */
export function describeKey(at: string, comparison: KeyComparison, type: DkimKeyType): Problem | undefined {
  switch (comparison.kind) {
    case 'same':
      return undefined
    case 'empty':
      return {
        diagnosis: 'key_revoked',
        text: `The key at ${at} is revoked: its p= tag is empty, which tells receivers to trust no signature. ${REPLACE}`,
      }
    case 'cut_off':
      return dkimWords.cutOff(at, comparison.matching, comparison.wanted, 'key')
    case 'overlong':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} is followed by ${comparison.extra} characters that do not belong to it. ${REPLACE}`,
      }
    case 'letter_case':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} has the right letters in the wrong case: capital and small letters matter. Enter the value again exactly as required; if it stays so, your DNS provider changes it, so tell them.`,
      }
    case 'url_alphabet':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} has "-" and "_" where "+" and "/" belong. ${REPLACE}`,
      }
    case 'no_base64':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} holds "${printable(comparison.character)}", which no key has. ${REPLACE}`,
      }
    case 'other_form':
      return {
        diagnosis: 'key_form',
        text:
          type === 'rsa'
            ? `The key at ${at} is the right one in another form (PKCS #1), which most receivers cannot read. ${REPLACE}`
            : `The key at ${at} is the right one with a wrapping around it; the 32 bytes of the key alone belong there. ${REPLACE}`,
      }
    case 'other':
      return { diagnosis: 'other_key', text: `The key at ${at} is another one than ours. ${REPLACE}` }
  }
}
