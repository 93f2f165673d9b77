/** The rows as a text table. */
import { ROWS, type Row } from './row.ts'

const HEADER = ['row', 'Envelog', 'against', '', 'ratio', 'target', 'met'] as const

export function toTable(rows: readonly Row[]): string {
  const lines = [HEADER, ...rows.map(toCells)]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const isNumber = (column: number) => column === 1 || column === 2 || column === 4
  const texts = lines.map((cells) =>
    cells
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  const [header = '', ...rest] = texts
  return `${[header, '-'.repeat(Math.max(...texts.map((text) => text.length))), ...rest].join('\n')}\n`
}

function toCells({ name, unit, ours, peer, ratio, target, met }: Row): readonly string[] {
  return [
    name,
    `${toText(ours)} ${unit}`,
    peer === null ? '' : toText(peer),
    ROWS[name].against,
    ratio === null ? '' : ratio.toFixed(2),
    target,
    met ? 'yes' : 'NO',
  ]
}

function toText(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value >= 10 ? value.toFixed(1) : value.toFixed(3)
}
