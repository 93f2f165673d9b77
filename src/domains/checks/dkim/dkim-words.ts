/** The error texts for DKIM records. `at` is the name of the record. */
import { printable } from '../../printable-text.ts'
import type { Problem } from '../judging/verdict.ts'
import type { DkimKeyType, KeyComparison } from './dkim-key-text.ts'

const REPLACE = 'Replace the record with the required value.'

export const dkimWords = {
  several: (at: string, count: number, right: number): Problem => ({
    diagnosis: 'several_records',
    text:
      `There are ${count} TXT records at ${at}, and receivers may read the wrong one. ` +
      (right > 0
        ? 'One of them is correct: keep that one and delete the others.'
        : 'Keep a single record with the required value and delete the others.'),
  }),

  split: (at: string, count: number): Problem => ({
    diagnosis: 'split_records',
    text:
      `The value at ${at} is split over ${count} TXT records, and receivers read only one of them. Delete them and ` +
      'create a single TXT record with the required value. If a string is limited to 255 characters, use several quoted ' +
      'strings in that one record.',
  }),

  noRecord: (at: string): Problem => ({
    diagnosis: 'wrong_value',
    text: `The TXT record at ${at} is not a DKIM record. ${REPLACE}`,
  }),

  noKey: (at: string): Problem => ({
    diagnosis: 'wrong_value',
    text: `The DKIM record at ${at} has no p= tag and therefore no key. ${REPLACE}`,
  }),

  cutOff: (at: string, matching: number, wanted: number, what: 'value' | 'key'): Problem => ({
    diagnosis: 'truncated',
    text:
      `The ${what} at ${at} is truncated: the first ${matching} of ${wanted} characters match and the rest is missing. ` +
      'Enter the whole value as one TXT record. If your DNS provider limits a string to 255 characters, split the value ' +
      'into several quoted strings in the same record.',
  }),

  repeated: (at: string, tag: string): Problem => ({
    diagnosis: 'repeated_tag',
    text: `The record at ${at} has the tag ${tag}= twice, so receivers ignore the whole record. ${REPLACE}`,
  }),

  version: (at: string, found: string): Problem => ({
    diagnosis: 'wrong_version',
    text:
      found === 'DKIM1'
        ? `In the record at ${at}, v=DKIM1 is not the first tag, so receivers ignore the record. Move it to the front or remove it.`
        : `The record at ${at} says v=${printable(found)}, but receivers accept only v=DKIM1, in upper case. Write v=DKIM1 or remove the tag.`,
  }),

  keyType: (at: string, found: string, wanted: DkimKeyType): Problem => ({
    diagnosis: 'wrong_key_type',
    text:
      wanted === 'rsa'
        ? `The record at ${at} says k=${printable(found)}, but the key is an RSA key. Write k=rsa or remove the tag.`
        : `The record at ${at} says k=${printable(found)}, but the key is an Ed25519 key. Write k=ed25519.`,
  }),

  hash: (at: string, found: string): Problem => ({
    diagnosis: 'hash_not_allowed',
    text: `The record at ${at} says h=${printable(found)}, which does not allow sha256, the algorithm that is used to sign mail. Remove the h= tag.`,
  }),

  service: (at: string, found: string): Problem => ({
    diagnosis: 'service_not_allowed',
    text: `The record at ${at} says s=${printable(found)}, which does not allow the key to be used for email. Remove the s= tag.`,
  }),

  testing: (at: string): string =>
    `The record at ${at} says t=y: receivers may treat signed mail as if it were not signed. Remove t=y when you have finished testing.`,

  weakKey: (at: string, bits: number): string => `The key at ${at} has ${bits} bits; use a key of 2048 bits or more.`,

  unusableKey: (at: string, type: string): Problem => ({
    diagnosis: 'key_damaged',
    text: `The p= tag at ${at} does not contain an ${type === 'rsa' ? 'RSA' : 'Ed25519'} key that receivers can read. Replace it with the public key of the mail server.`,
  }),
}

/** Undefined if it is the same key. */
export function describeKey(at: string, comparison: KeyComparison, type: DkimKeyType): Problem | undefined {
  switch (comparison.kind) {
    case 'same':
      return undefined
    case 'empty':
      return {
        diagnosis: 'key_revoked',
        text: `The key at ${at} is revoked: its p= tag is empty, so receivers trust no signature made with it. ${REPLACE}`,
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
        text: `The key at ${at} has the right letters in the wrong case; upper and lower case matter. Enter the value again exactly as required. If the problem remains, your DNS provider changes the value: contact them.`,
      }
    case 'url_alphabet':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} has "-" and "_" where "+" and "/" are expected. ${REPLACE}`,
      }
    case 'no_base64':
      return {
        diagnosis: 'key_damaged',
        text: `The key at ${at} contains "${printable(comparison.character)}", which is not allowed in a key. ${REPLACE}`,
      }
    case 'other_form':
      return {
        diagnosis: 'key_form',
        text:
          type === 'rsa'
            ? `The key at ${at} is correct but in another encoding (PKCS #1), which most receivers cannot read. ${REPLACE}`
            : `The key at ${at} is correct but wrapped in a SubjectPublicKeyInfo structure; only the 32 bytes of the key belong there. ${REPLACE}`,
      }
    case 'other':
      return { diagnosis: 'other_key', text: `The key at ${at} is not ours. ${REPLACE}` }
  }
}
