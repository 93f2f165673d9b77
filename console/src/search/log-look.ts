/** How the log is shown: which columns beside time, event and recipient, and how close together the rows are. */

/** In their order on the screen. The server's answer is `response`, as in the API. */
export const COLUMNS = ['code', 'domain', 'subject', 'response', 'classification', 'provider'] as const
export type Column = (typeof COLUMNS)[number]

export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

/** What is missing was not chosen. */
export interface LogLook {
  /** In the order of choice: where there is no room for all, those chosen last are shown. */
  readonly columns?: readonly Column[]
  readonly density?: Density
}

export const DEFAULT_COLUMNS: readonly Column[] = ['response', 'provider', 'subject', 'code']
/** The domain says whose message it is. */
export const COLUMNS_OF_ALL_TENANTS: readonly Column[] = ['response', 'provider', 'code', 'domain']
export const DEFAULT_DENSITY: Density = 'comfortable'

/** Ignores what it does not know: addresses are typed, and kept choices may be damaged or of another version. */
export function readLook({ columns, density }: { readonly columns?: unknown; readonly density?: unknown }): LogLook {
  const names = Array.isArray(columns) ? columns : undefined
  const known = [...new Set(names)].filter(isColumn)
  return {
    // Only names of another version: not the choice to see none.
    ...(names && (known.length > 0 || names.length === 0) && !isDefault(known) && { columns: known }),
    ...(isDensity(density) && density !== DEFAULT_DENSITY && { density }),
  }
}

export function readLookParams(params: URLSearchParams): LogLook {
  const columns = params.get('columns')
  return readLook({
    columns: columns === null ? undefined : columns.split(',').filter((name) => name !== ''),
    density: params.get('density'),
  })
}

export function writeLookParams({ columns, density }: LogLook, params: URLSearchParams): void {
  if (columns) params.set('columns', columns.join(','))
  if (density) params.set('density', density)
}

/** Chosen last; or no longer, if it is on the screen. */
export function withColumn(look: LogLook, column: Column, isShown: boolean): LogLook {
  const others = (look.columns ?? DEFAULT_COLUMNS).filter((other) => other !== column)
  return readLook({ ...look, columns: isShown ? [...others, column] : others })
}

export function withDensity(look: LogLook, density: Density): LogLook {
  return readLook({ ...look, density })
}

function isColumn(name: unknown): name is Column {
  return (COLUMNS as readonly unknown[]).includes(name)
}

function isDensity(name: unknown): name is Density {
  return (DENSITIES as readonly unknown[]).includes(name)
}

function isDefault(columns: readonly Column[]): boolean {
  return columns.join() === DEFAULT_COLUMNS.join()
}
