/** The account menu: who is signed in, theme, keyboard shortcuts, sign-out. */
import { useState } from 'react'
import { useCurrentSession, useSignOut } from '../api/session.ts'
import { Icon } from '../kit/marks/icon.tsx'
import { Menu, MenuItem } from '../kit/menu.tsx'
import { printable } from '../kit/text/printable.ts'

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
          <button type="button" className="row hoverable account-button" title={name}>
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
          Keyboard shortcuts
        </MenuItem>
        <MenuItem onSelect={() => window.open('/docs', '_blank', 'noopener')}>API reference</MenuItem>
        <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
      </Menu>
    </div>
  )
}
