/** Menu of the saved views: opens one, saves the search that is shown. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../kit/button.tsx'
import { Menu, MenuFact, MenuGroup, MenuItem } from '../../kit/overlays/menu.tsx'
import { messageOf } from '../../kit/states.tsx'
import { printable } from '../../kit/text/printable.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { ManageViews } from './manage-views.tsx'
import { SaveView } from './save-view.tsx'
import { isShown, linkOf, useViews } from './use-views.ts'

type Opened = 'save' | 'manage'

export function ViewsMenu() {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <>
      <Menu
        align="end"
        label="Views"
        trigger={
          <Button look="quiet" icon="views" title="Saved views (v)" data-views-menu>
            Views
          </Button>
        }
      >
        <Items onOpen={setOpened} />
      </Menu>
      {opened === 'save' && <SaveView onClose={close} />}
      {opened === 'manage' && <ManageViews onClose={close} />}
    </>
  )
}

/** Loaded when the menu is opened. */
function Items({ onOpen }: { readonly onOpen: (dialog: Opened) => void }) {
  const [search] = useLogSearch()
  const [, navigate] = useLocation()
  const { data, error } = useViews()
  return (
    <>
      <MenuGroup title="This search">
        <MenuItem onSelect={() => onOpen('save')}>Save as view…</MenuItem>
      </MenuGroup>
      <MenuGroup title="Saved views">
        {!data && <MenuFact value="">{error ? messageOf(error) : 'Loading…'}</MenuFact>}
        {data?.views.length === 0 && <MenuFact value="">None yet</MenuFact>}
        {data?.views.map((view) => (
          <MenuItem
            key={view.name}
            note={isShown(view, search) ? 'shown' : undefined}
            onSelect={() => navigate(linkOf(view))}
          >
            <bdi className="foreign">{printable(view.name)}</bdi>
          </MenuItem>
        ))}
      </MenuGroup>
      {data && data.views.length > 0 && (
        <MenuGroup title="All views">
          <MenuItem onSelect={() => onOpen('manage')}>Rename, copy link, delete…</MenuItem>
        </MenuGroup>
      )}
    </>
  )
}
