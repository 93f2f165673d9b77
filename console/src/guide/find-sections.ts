/** The search of the documentation: sections that contain all words, the most relevant first. */
import type { SearchSection } from '../../../src/http/docs/site/site.ts'

export interface FoundSection {
  readonly section: SearchSection
  /** A part of the text around the first word that was found in it. */
  readonly excerpt: string
}

/** Of a search; longer ones are cut. */
const QUERY_CHARACTERS = 200
const WORDS_MAX = 8
const EXCERPT_CHARACTERS = 140

/** A word in a title says more than one in the text; the beginning of a word more than its middle. */
const WEIGHTS = { page: 8, heading: 10, text: 2 } as const
const MIDDLE_OF_WORD = 0.4
/** A heading that is the search itself, such as an endpoint, is what was looked for. */
const SAME = 3
/** Decisions and the changelog say what was; the examples are also in the API reference. */
const LESSER = { url: /\/decisions\/|\/changelog\b|\/examples\b/, weight: 0.5 } as const

export function splitWords(query: string): readonly string[] {
  const words = query.slice(0, QUERY_CHARACTERS).toLowerCase().split(/\s+/).filter(Boolean)
  return [...new Set(words)].slice(0, WORDS_MAX)
}

export function findSections(
  sections: readonly SearchSection[],
  query: string,
  limit: number,
): readonly FoundSection[] {
  const words = splitWords(query)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }))
}

/** Zero if a word is nowhere in the section. */
function scoreOf(section: SearchSection, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const found =
      WEIGHTS.page * matchOf(section.page, word) +
      WEIGHTS.heading * matchOf(section.heading, word) +
      WEIGHTS.text * matchOf(section.text, word)
    if (found === 0) return 0
    score += found
  }
  // The beginning of a page stands for the whole.
  const whole = section.heading === '' ? 1.2 : 1
  const same = section.heading.toLowerCase() === words.join(' ') ? SAME : 1
  return score * whole * same * (LESSER.url.test(section.url) ? LESSER.weight : 1)
}

/** 1 if a word of the text begins with it, less if it is in the middle of one, 0 if it is not there. */
function matchOf(text: string, word: string): number {
  const lower = text.toLowerCase()
  let at = lower.indexOf(word)
  if (at === -1) return 0
  for (; at !== -1; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? '')) return 1
  }
  return MIDDLE_OF_WORD
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1)
  const first = places.length === 0 ? 0 : Math.min(...places)
  if (first < EXCERPT_CHARACTERS / 2) return cut(text, 0)
  const start = text.indexOf(' ', first - 40) + 1
  return `…${cut(text, Math.min(start, first))}`
}

function cut(text: string, start: number): string {
  return text.length - start <= EXCERPT_CHARACTERS
    ? text.slice(start)
    : `${text.slice(start, start + EXCERPT_CHARACTERS)}…`
}
