/** A parser of text or of bytes, with the inputs that its samples lead to. */
import type { Parser } from './growth.ts'
import { BARE, stretched } from './inputs.ts'

export function text(name: string, samples: readonly string[], parse: (text: string) => unknown): Parser {
  const inputs = [BARE, ...samples.flatMap(stretched)]
  return { name, inputs, parse: (input) => parse(input as string) }
}

export const bytes = (parse: (bytes: Buffer) => unknown) => (input: string) => parse(Buffer.from(input))

export function refusalOf(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    return error
  }
}
