/** The texts for DKIM records. `at` is the name of the record. */
import type { DkimAlgorithm } from '../../domain.ts'
import { printable } from '../../printable-text.ts'

const REPLACE = 'Replace the record with the required value.'

export const dkimWords = {
  several: (at: string, count: number, hasRight: boolean) =>
    `There are ${count} TXT records at ${at}, and receivers may read the wrong one. ` +
    (hasRight
      ? 'One of them is correct: keep that one and delete the others.'
      : 'Keep a single record with the required value and delete the others.'),
  split: (at: string, count: number) =>
    `The value at ${at} is split over ${count} TXT records, and receivers read only one of them. Delete them and ` +
    'create a single TXT record with the required value. If a string is limited to 255 characters, use several quoted ' +
    'strings in that one record.',
  noRecord: (at: string) => `The TXT record at ${at} is not a DKIM record. ${REPLACE}`,
  noKey: (at: string) => `The DKIM record at ${at} has no p= tag and therefore no key. ${REPLACE}`,
  cutOff: (at: string, matching: number, wanted: number, what: 'value' | 'key' = 'value') =>
    `The ${what} at ${at} is truncated: the first ${matching} of ${wanted} characters match and the rest is missing. ` +
    'Enter the whole value as one TXT record. If your DNS provider limits a string to 255 characters, split the value ' +
    'into several quoted strings in the same record.',
  repeated: (at: string, tag: string) =>
    `The record at ${at} has the tag ${tag}= twice, so receivers ignore the whole record. ${REPLACE}`,
  version: (at: string, found: string) =>
    found === 'DKIM1'
      ? `In the record at ${at}, v=DKIM1 is not the first tag, so receivers ignore the record. Move it to the front or remove it.`
      : `The record at ${at} says v=${printable(found)}, but receivers accept only v=DKIM1, in upper case. Write v=DKIM1 or remove the tag.`,
  keyType: (at: string, found: string, wanted: DkimAlgorithm) =>
    `The record at ${at} says k=${printable(found)}, but the key is an ` +
    (wanted === 'rsa' ? 'RSA key. Write k=rsa or remove the tag.' : 'Ed25519 key. Write k=ed25519.'),
  hash: (at: string, found: string) =>
    `The record at ${at} says h=${printable(found)}, which does not allow sha256, the algorithm that is used to sign mail. Remove the h= tag.`,
  service: (at: string, found: string) =>
    `The record at ${at} says s=${printable(found)}, which does not allow the key to be used for email. Remove the s= tag.`,
  testing: (at: string) =>
    `The record at ${at} says t=y: receivers may treat signed mail as if it were not signed. Remove t=y when you have finished testing.`,
  weakKey: (at: string, bits: number) => `The key at ${at} has ${bits} bits; use a key of 2048 bits or more.`,
  unusableKey: (at: string, type: string) =>
    `The p= tag at ${at} does not contain an ${type === 'rsa' ? 'RSA' : 'Ed25519'} key that receivers can read. Replace it with the public key of the mail server.`,
  revoked: (at: string) =>
    `The key at ${at} is revoked: its p= tag is empty, so receivers trust no signature made with it. ${REPLACE}`,
  overlong: (at: string, extra: number) =>
    `The key at ${at} is followed by ${extra} characters that do not belong to it. ${REPLACE}`,
  letterCase: (at: string) =>
    `The key at ${at} has the right letters in the wrong case; upper and lower case matter. Enter the value again exactly as required. If the problem remains, your DNS provider changes the value: contact them.`,
  urlAlphabet: (at: string) => `The key at ${at} has "-" and "_" where "+" and "/" are expected. ${REPLACE}`,
  lostPlus: (at: string, hasSpaces: boolean) =>
    (hasSpaces
      ? `The key at ${at} has spaces where "+" is expected: the form or program that it was entered with decoded "+" as a space. `
      : `The key at ${at} is correct except that every "+" in it is missing or in another place. `) +
    `${REPLACE} If the problem remains, enter the value in the DNS settings by hand, or contact your DNS provider.`,
  percentEncoded: (at: string) =>
    `The key at ${at} is percent-encoded ("%2B" where "+" is expected, for example). ${REPLACE}`,
  surrounded: (at: string) =>
    `The p= tag at ${at} has other text around the key, such as the lines "BEGIN PUBLIC KEY" and "END PUBLIC KEY". ${REPLACE}`,
  noSemicolons: (at: string) =>
    `The tags of the record at ${at} are not separated by semicolons, so receivers find no key in it. ${REPLACE}`,
  noBase64: (at: string, character: string) =>
    `The key at ${at} contains "${printable(character)}", which is not allowed in a key. ${REPLACE}`,
  otherForm: (at: string, type: DkimAlgorithm) =>
    type === 'rsa'
      ? `The key at ${at} is correct but in another encoding (PKCS #1), which most receivers cannot read. ${REPLACE}`
      : `The key at ${at} is correct but wrapped in a SubjectPublicKeyInfo structure; only the 32 bytes of the key belong there. ${REPLACE}`,
  otherKey: (at: string) => `The key at ${at} is not ours. ${REPLACE}`,
}
