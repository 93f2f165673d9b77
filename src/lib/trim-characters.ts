/**
 * Takes the given characters off both ends, in one pass over each end. The obvious regular expression, `[ \t]+$`, tries
 * again at every blank of a run in the middle: a text from outside with enough of them stops the whole process.
 */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  let end = text.length
  while (start < end && characters.includes(text.charAt(start))) start++
  while (end > start && characters.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
