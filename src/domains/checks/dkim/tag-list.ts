/** The `tag=value; tag=value` syntax of DKIM and DMARC records (RFC 6376 section 3.2, RFC 7489 section 6.4). */

const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/
/** Folding white space: values copied from mail headers can have line ends. */
const OUTER_SPACE: ReadonlySet<string | undefined> = new Set([' ', '\t', '\r', '\n'])

/** In the order of the text. */
export type Tags = ReadonlyMap<string, string>

export type TagList =
  | { readonly kind: 'tags'; readonly tags: Tags }
  /** RFC 6376 3.2: a repeated tag makes the whole list invalid. */
  | { readonly kind: 'repeated'; readonly tag: string }
  | { readonly kind: 'no_list' }

export function readTagList(text: string): TagList {
  const specs = text.split(';')
  // A trailing semicolon is allowed.
  if (specs.length > 1 && trimSpace(specs.at(-1) ?? '') === '') specs.pop()
  const tags = new Map<string, string>()
  const repeated: string[] = []
  for (const spec of specs) {
    const equals = spec.indexOf('=')
    const name = trimSpace(spec.slice(0, Math.max(equals, 0)))
    if (!TAG_NAME.test(name)) return { kind: 'no_list' }
    if (tags.has(name)) repeated.push(name)
    tags.set(name, trimSpace(spec.slice(equals + 1)))
  }
  const [tag] = repeated
  return tag === undefined ? { kind: 'tags', tags } : { kind: 'repeated', tag }
}

/** Empty if the text is not a list. */
export function tagsOf(text: string): Tags {
  const list = readTagList(text)
  return list.kind === 'tags' ? list.tags : new Map()
}

/** One pass over each end: the regular expression `[ \t]+$` takes quadratic time on a long run of spaces in the middle. */
function trimSpace(text: string): string {
  let [start, end] = [0, text.length]
  while (OUTER_SPACE.has(text[start])) start++
  while (OUTER_SPACE.has(text[end - 1])) end--
  return text.slice(start, end)
}
