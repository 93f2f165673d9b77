/** Inputs for parsers: a realistic sample with one part stretched, or the sample many times over. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ParserInput } from './growth.ts'

/** Positions within a sample where a part is inserted. */
const POSITIONS_MAX = 2
const SOURCES = join(import.meta.dirname, '../../../src')

/** Nothing but the part. */
export const BARE: ParserInput = { name: 'alone', build: (part) => part }

/** The part at some of the boundaries between words and signs; always at the beginning and the end. */
export function stretched(sample: string): readonly ParserInput[] {
  const boundaries = [...sample.matchAll(/\b|$/g)].map(({ index }) => index)
  const step = Math.max(1, Math.ceil(boundaries.length / POSITIONS_MAX))
  const chosen = boundaries.filter((_, index) => index % step === 0 || index === boundaries.length - 1)
  return chosen.map((at) => ({
    name: JSON.stringify(`${sample.slice(Math.max(0, at - 20), at)}…${sample.slice(at, at + 20)}`),
    build: (part) => `${sample.slice(0, at)}${part}${sample.slice(at)}`,
  }))
}

/** One field of a JSON record replaced: each text of the samples in turn. */
export function stretchedFields(...samples: readonly unknown[]): readonly ParserInput[] {
  const inputs = samples.flatMap((sample) =>
    listTexts(sample).map((path) => ({
      name: path.join('.'),
      build: (part: string) => replaceAt(sample, path, part),
    })),
  )
  // The same field of another sample is read by the same code.
  return [...new Map(inputs.map((input) => [input.name, input])).values()]
}

function listTexts(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => listTexts(member, [...path, key]))
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], part: string): unknown {
  if (key === undefined) return part
  if (Array.isArray(value))
    return value.map((member, index) => (key === `${index}` ? replaceAt(member, rest, part) : member))
  const members = value as Readonly<Record<string, unknown>>
  return { ...members, [key]: replaceAt(members[key], rest, part) }
}

/** The contents of the first test files that end in `ending`. */
export function samplesOf(folder: string, ending: string, count: number): readonly string[] {
  const path = join(SOURCES, folder)
  const names = readdirSync(path).filter((name) => name.endsWith(ending))
  const step = Math.max(1, Math.floor(names.length / count))
  return names
    .filter((_, index) => index % step === 0)
    .slice(0, count)
    .map((name) => readFileSync(join(path, name), 'utf8'))
}
