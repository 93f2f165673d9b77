/** Menu of the list's columns and density. */
import { IconButton } from '../../kit/button.tsx'
import { Menu, MenuChoice, MenuGroup } from '../../kit/overlays/menu.tsx'
import {
  COLUMNS,
  DEFAULT_COLUMNS,
  DEFAULT_DENSITY,
  DENSITIES,
  type Density,
  withColumn,
  withDensity,
} from '../../search/log-look.ts'
import { COLUMN_SIZES } from '../list/fit-columns.ts'
import type { ShownLook } from '../list/use-log-look.ts'

const DENSITY_LABELS: Readonly<Record<Density, string>> = { comfortable: 'Comfortable', compact: 'Compact' }

export function LookMenu({ look, fitted, change }: ShownLook) {
  const chosen = look.columns ?? DEFAULT_COLUMNS
  return (
    <Menu
      align="end"
      label="Columns and density"
      trigger={<IconButton icon="columns" label="Columns and density (c)" data-look-menu />}
    >
      <MenuGroup title="Columns">
        {COLUMNS.map((column) => {
          // What is on the screen: a click always shows a column, or removes it.
          const isShown = fitted.columns.includes(column)
          return (
            <MenuChoice
              key={column}
              kind="checkbox"
              isChecked={isShown}
              note={!isShown && chosen.includes(column) ? 'no room' : undefined}
              onSelect={() => change(withColumn(look, column, !isShown))}
            >
              {COLUMN_SIZES[column].title}
            </MenuChoice>
          )
        })}
      </MenuGroup>
      <MenuGroup title="Rows">
        {DENSITIES.map((density) => (
          <MenuChoice
            key={density}
            kind="radio"
            isChecked={density === (look.density ?? DEFAULT_DENSITY)}
            onSelect={() => change(withDensity(look, density))}
          >
            {DENSITY_LABELS[density]}
          </MenuChoice>
        ))}
      </MenuGroup>
    </Menu>
  )
}
