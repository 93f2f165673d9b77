/** Which of the chosen columns have room, and how wide and high that makes the rows. */
import { COLUMNS, type Column, DEFAULT_COLUMNS, DEFAULT_DENSITY, type LogLook } from '../../search/log-look.ts'

type AnyColumn = Column | 'time' | 'event' | 'recipient'

interface ColumnSize {
  readonly title: string
  readonly minPx: number
  /** Share of the room that is left; none for texts of a known length. */
  readonly share?: number
}

/** In their order on the screen. */
export const COLUMN_SIZES: Readonly<Record<AnyColumn, ColumnSize>> = {
  time: { title: 'Time', minPx: 120 },
  event: { title: 'Event', minPx: 112 },
  code: { title: 'Code', minPx: 36 },
  recipient: { title: 'Recipient', minPx: 140, share: 1.1 },
  domain: { title: 'Domain', minPx: 120, share: 0.7 },
  subject: { title: 'Subject', minPx: 90, share: 1.3 },
  response: { title: 'Response', minPx: 260, share: 1.6 },
  classification: { title: 'Reason', minPx: 112, share: 0.5 },
  provider: { title: 'Provider', minPx: 112 },
}

const GAP_PX = 16
/** Left and right of a row, and the scroll bar. */
const AROUND_PX = 48
const NARROW_PX = 600
/** Lines of a narrow row, below those of event and recipient. A row should not fill the screen. */
const LINES_MAX = 3

export interface FittedLook {
  /** `narrow`: a row has one line for each text. */
  readonly layout: 'wide' | 'narrow'
  /** All of them, in their order on the screen. */
  readonly columns: readonly AnyColumn[]
  /** Value of grid-template-columns; for the wide layout. */
  readonly template: string
  readonly rowPx: number
}

export function fitColumns(look: LogLook, widthPx: number): FittedLook {
  const isCompact = (look.density ?? DEFAULT_DENSITY) === 'compact'
  const chosen = look.columns ?? DEFAULT_COLUMNS
  if (widthPx >= NARROW_PX) {
    const columns = inOrder(dropFor(widthPx, chosen))
    return { layout: 'wide', columns, template: columns.map(trackOf).join(' '), rowPx: isCompact ? 28 : 36 }
  }
  // The code shares the line of the event.
  const texts = chosen.filter((column) => column !== 'code')
  const lines = texts.slice(look.columns ? -LINES_MAX : -1)
  const columns = inOrder(chosen.includes('code') ? ['code', ...lines] : lines)
  return { layout: 'narrow', columns, template: '', rowPx: (isCompact ? 46 : 58) + 18 * lines.length }
}

/** Without those that were chosen first, as many as necessary. */
function dropFor(widthPx: number, chosen: readonly Column[]): readonly Column[] {
  const columns = inOrder(chosen)
  const neededPx = columns.reduce((sum, name) => sum + COLUMN_SIZES[name].minPx + GAP_PX, AROUND_PX - GAP_PX)
  return neededPx <= widthPx || chosen.length === 0 ? chosen : dropFor(widthPx, chosen.slice(1))
}

function inOrder(chosen: readonly Column[]): readonly AnyColumn[] {
  const isShown = (name: AnyColumn) => !isChoice(name) || chosen.includes(name)
  return (Object.keys(COLUMN_SIZES) as AnyColumn[]).filter(isShown)
}

function isChoice(name: AnyColumn): name is Column {
  return (COLUMNS as readonly string[]).includes(name)
}

function trackOf(name: AnyColumn): string {
  const { minPx, share } = COLUMN_SIZES[name]
  return share === undefined ? `${minPx}px` : `minmax(${minPx}px, ${share}fr)`
}
