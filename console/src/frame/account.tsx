/** The account menu: who is signed in, theme, keyboard shortcuts, help, sign-out. */
import { useState } from 'react'
import { useQuotas } from '../api/quotas.ts'
import { useCurrentSession, useSignOut } from '../api/session.ts'
import { Icon } from '../kit/marks/icon.tsx'
import { Menu, MenuFact, MenuItem } from '../kit/overlays/menu.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { chooseTheme, readTheme, THEMES } from './theme.ts'

export function Account({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const { principal, version } = useCurrentSession()
  const signOut = useSignOut()
  const [theme, setTheme] = useState(readTheme)
  const name = principal.kind === 'tenant' ? printable(principal.tenant.name) : 'Operator'
  return (
    <div className="account">
      <Menu
        side="top"
        trigger={
          <button type="button" className="row hoverable account-button" title={name}>
            <span className="account-letter" aria-hidden="true" data-letter={name.slice(0, 1).toUpperCase()} />
            <span className="visually-hidden">Account: </span>
            <span className="side-word truncate">{name}</span>
            <Icon name="down" />
          </button>
        }
      >
        <Quotas />
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
        <MenuItem onSelect={() => window.open(guideFor(principal.kind), '_blank', 'noopener')}>Help</MenuItem>
        <MenuItem onSelect={() => window.open('/docs', '_blank', 'noopener')}>API reference</MenuItem>
        <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
        <hr className="menu-line" />
        <MenuFact value={version}>Envelog</MenuFact>
      </Menu>
    </div>
  )
}

/** The first page of the guide for who is signed in. */
function guideFor(kind: 'operator' | 'tenant'): string {
  return `/docs/guide/start/${kind}`
}

/** A line for each quota of the tenant; nothing if it has none. */
function Quotas() {
  const { data } = useQuotas()
  if (!data) return null
  const { quotas, use } = data
  const lines = [
    { name: 'Events today', used: use.eventsToday ?? 0, quota: quotas.eventsPerDay },
    { name: 'Domains', used: use.domains, quota: quotas.domains },
    { name: 'Keys', used: use.keys, quota: quotas.keys },
  ].filter(({ quota }) => quota !== null)
  if (lines.length === 0) return null
  return (
    <>
      {lines.map(({ name, used, quota }) => (
        <MenuFact key={name} isBad={used >= (quota ?? 0)} value={`${formatCount(used)} of ${formatCount(quota ?? 0)}`}>
          {name}
        </MenuFact>
      ))}
      <hr className="menu-line" />
    </>
  )
}
