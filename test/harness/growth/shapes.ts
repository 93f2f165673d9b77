/** Texts of any length that are expensive for careless parsers. */

export interface Shape {
  readonly name: string
  fill(length: number): string
}

/** Long runs: of blanks, of the separators and quotes of all formats, of letters and digits, and of beginnings. */
const RUNS = [
  ...' \t\n"\\<>=;,:([{%@.-a0',
  'é',
  '\r\n',
  '--',
  '="',
  '<a ',
  '<!--',
  '=?utf-8?q?',
  '=?utf-8?q?a?= ',
  '{"a":',
  '\\"',
  '%41',
  '&#',
]

/** Alternations: many short fields, addresses, tags, lines or words. */
const ALTERNATIONS = [
  'a ',
  'a,',
  'a=',
  'a@',
  'a.',
  '<>',
  '()',
  '"a',
  ' ;',
  '@.,',
  'a\n',
  '\n ',
  'a: b\r\n',
  '--\r\n',
  'a=b; ',
  'a@b.c, ',
  '<a@b> ',
  'mailto:a@@,',
  '550-',
  '5.1.1 ',
  'ip4:1.1.1.1 ',
  '<a b=c>',
  '<![CDATA[<a>',
]

/** Every attribute, field or label is another one. */
const numbered = (before: string, after: string): Shape => ({
  name: `numbered ${before}N${after}`,
  fill(length) {
    const parts: string[] = []
    for (let [size, index] = [0, 0]; size < length; index++) {
      const part = `${before}${index.toString(36)}${after}`
      parts.push(part)
      size += part.length
    }
    return parts.join('')
  },
})

export const SHAPES: readonly Shape[] = [
  ...[...RUNS, ...ALTERNATIONS].map((unit) => ({
    name: `runs of ${JSON.stringify(unit)}`,
    fill: (length: number) => unit.repeat(Math.ceil(length / unit.length)),
  })),
  numbered('a', ' '),
  numbered('a', '=1 '),
  numbered('a', '=1&'),
  numbered('a', ': b\r\n'),
  numbered('x', '@example.org, '),
  // Without a separator at the end: a list is accepted only if all of its members are.
  { name: 'list of addresses', fill: (length) => 'anna.example@example.org '.repeat(Math.ceil(length / 25)).trimEnd() },
  { name: 'nested (', fill: (length) => `${'('.repeat(length / 2)}${')'.repeat(length / 2)}` },
  { name: 'quotes around blanks', fill: (length) => `"${' '.repeat(length)}"` },
  { name: 'blanks before a letter', fill: (length) => `${' '.repeat(length)}a` },
]
