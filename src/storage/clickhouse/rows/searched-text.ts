/** The expressions in which substrings are searched. Indexes are over exactly these, so both are made here. */

export const COLUMN_OF_FIELD = {
  recipient: 'recipient',
  sender: 'sender',
  from: 'header_from',
  subject: 'subject',
} as const
export type SearchedField = keyof typeof COLUMN_OF_FIELD
export const SEARCHED_FIELDS = Object.keys(COLUMN_OF_FIELD) as readonly SearchedField[]

/**
 * A folded needle is in it exactly if it is in the folded text: what `lower` of the server does not fold is there once more, folded
 * when it was written. The byte between the two is in no UTF-8 text, so that no needle reaches over it.
 */
export function searchedText(field: SearchedField): string {
  const column = COLUMN_OF_FIELD[field]
  return `concat(lower(${column}), '\\xFF', ${column}_folded)`
}
