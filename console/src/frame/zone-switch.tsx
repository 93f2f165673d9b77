/** Which time zone the times on the page are in; a click shows them in the other one. */
import { useEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Button } from '../kit/button.tsx'
import { namesZone, readZone, rememberZone, setZone, withZone, type Zone, zoneName } from '../kit/text/zone.ts'

/** The zone of the page's address. Everything that is drawn afterwards shows its times in it. */
export function useZone(): Zone {
  const [path, navigate] = useLocation()
  const query = useSearch()
  const zone = readZone(query)
  setZone(zone)
  // In the address even if it was chosen on another page, so that a copied link shows the same days.
  useEffect(() => {
    if (zone === 'utc' && !namesZone(query)) navigate(`${path}${withZone(query, zone)}`, { replace: true })
  }, [zone, path, query, navigate])
  return zone
}

export function ZoneSwitch({ zone }: { readonly zone: Zone }) {
  const [path, navigate] = useLocation()
  const query = useSearch()
  const other = zone === 'utc' ? 'local' : 'utc'
  const change = () => {
    rememberZone(other)
    navigate(`${path}${withZone(query, other)}`)
  }
  return (
    <Button
      look="quiet"
      className="zone"
      title={`Times are in ${describe(zone)}. Click for ${describe(other)}.`}
      onClick={change}
    >
      <span className="visually-hidden">Time zone: </span>
      {zone === 'utc' ? 'UTC' : 'Local time'}
    </Button>
  )
}

/** A zone that is called "UTC" may be the reader's own. */
function describe(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : `local time (${zoneName(zone)})`
}
