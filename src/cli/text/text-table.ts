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

/** In the unit that fits, decimal as disks are sold. */
export function formatBytes(bytes: number): string {
  const [unit, size] = bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3]
  return `${(bytes / size).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${unit}`
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
