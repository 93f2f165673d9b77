/** One request and its answer in a recording: a line of NDJSON. */

export interface Line {
  /** The request: unique within a recording, and the same in all recordings. */
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function parseLines(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}
