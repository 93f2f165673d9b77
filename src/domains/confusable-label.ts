/** Finds labels of internationalized names that can be mistaken for other names (UTS 39). */

/** Scripts whose letters resemble Latin letters, or each other. */
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Hebrew', 'Arabic', 'Georgian'].map(
  (name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const,
)

/** Letters of these two scripts that are hard to distinguish from Latin ones. */
const CYRILLIC_LOOKALIKES =
  /^[\u0430\u0441\u0501\u0435\u04BB\u0456\u0458\u04CF\u043E\u0440\u051B\u0455\u051D\u0445\u0443\u044A\u044C\u04BD\u043F\u0433\u0475\u0461\u0432\u043A\u043C\u043D\u0442\d-]+$/u
const GREEK_LOOKALIKES = /^[\u03B1\u03B3\u03B9\u03BA\u03BD\u03BF\u03C1\u03C3\u03C4\u03C5\u03C9\u03B7\d-]+$/u

/** The problem, which continues "the label …". `label` is in Unicode; `isUnderAsciiTop`: the top-level domain is ASCII. */
export function findConfusion(label: string, isUnderAsciiTop: boolean): string | undefined {
  const found = SCRIPTS.filter(([, pattern]) => pattern.test(label)).map(([name]) => name)
  if (found.length > 1)
    return `mixes letters of several scripts (${found.join(', ')}), so it can be mistaken for another name`
  const isLookalike = CYRILLIC_LOOKALIKES.test(label) || GREEK_LOOKALIKES.test(label)
  const hasLetter = /\p{L}/u.test(label)
  if (isUnderAsciiTop && hasLetter && isLookalike) {
    return `has only letters of the ${found[0]} script that look like Latin ones, so it can be mistaken for another name`
  }
  return undefined
}
