/** Rows under headings, in aligned columns. */
import { printable } from './printable.ts'

/** `whenEmpty` is returned if there are no rows. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty: string,
): string {
  if (rows.length === 0) return whenEmpty
  const lines = [headings, ...rows.map((cells) => cells.map(printable))]
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)))
  return lines.map((cells) => formatLine(cells, widths)).join('\n')
}

/** No trailing spaces. */
function formatLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
