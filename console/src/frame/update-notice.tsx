/** Offers to reload the page after an upgrade of the server. Nothing is reloaded without being asked: somebody may be typing. */
import { useEffect } from 'react'
import { Button } from '../kit/button.tsx'
import { useIsOutdated, watchVersion } from './version.ts'

export function UpdateNotice() {
  useEffect(watchVersion, [])
  if (!useIsOutdated()) return null
  return (
    <div className="overlay row update-notice" role="status">
      <span>The console has been updated on the server.</span>
      <Button look="strong" icon="refresh" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  )
}
