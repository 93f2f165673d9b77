/** Whose key this is, and what concerns the viewer rather than the data: theme, keys, signing out. */
import { useState } from 'react'
import { useSignOut } from '../api/session.ts'
import { Icon } from '../kit/icon.tsx'
import { Menu, MenuItem } from '../kit/menu.tsx'
import { printable } from '../kit/printable.ts'
import { useCurrentSession } from './session-context.ts'
import { chooseTheme, readTheme, THEMES } from './theme.ts'

export function Account({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const { principal } = useCurrentSession()
  const signOut = useSignOut()
  const [theme, setTheme] = useState(readTheme)
  const name = principal.kind === 'tenant' ? printable(principal.tenant.name) : 'Operator'
  return (
    <div className="account">
      <Menu
        side="top"
        trigger={
          <button type="button" className="account-button" title={name}>
            <span className="account-letter" data-letter={name.slice(0, 1).toUpperCase()} />
            <span className="visually-hidden">Account: </span>
            <span className="side-word truncate">{name}</span>
            <Icon name="down" />
          </button>
        }
      >
        {THEMES.map(({ value, label }) => (
          <MenuItem
            key={value}
            note={theme === value ? <Icon name="check" /> : undefined}
            onSelect={() => {
              chooseTheme(value)
              setTheme(value)
            }}
          >
            {label}
          </MenuItem>
        ))}
        <hr className="menu-line" />
        <MenuItem onSelect={onShowKeys} note="?">
          Keyboard
        </MenuItem>
        <MenuItem onSelect={() => window.open('/docs', '_blank', 'noopener')}>API reference</MenuItem>
        <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
      </Menu>
    </div>
  )
}
