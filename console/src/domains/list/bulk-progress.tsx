/** How far a check of many domains is, and how it ended. */
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/text/format.ts'
import type { BulkVerify } from './use-bulk-verify.ts'

export function BulkProgress({ bulk: { progress, isRunning, stop, dismiss } }: { readonly bulk: BulkVerify }) {
  if (!progress) return null
  const { total, done, wrong, failed, isWaiting } = progress
  return (
    <div className="box stack bulk" role="group" aria-label="Verification of several domains">
      <div className="row wrap spread">
        <p>
          {isRunning ? 'Checking DNS: ' : done < total ? 'Stopped: ' : 'Done: '}
          <strong>
            {formatCount(done)} of {formatCount(total)}
          </strong>{' '}
          domains checked
          {wrong > 0 && `, ${formatCount(wrong)} with problems`}
          {failed > 0 && `, ${formatCount(failed)} could not be checked`}.
        </p>
        {isRunning ? <Button onClick={stop}>Stop</Button> : <Button onClick={dismiss}>Close</Button>}
      </div>
      <progress max={total} value={done} aria-label="Domains checked" />
      <p className="muted small">
        {isWaiting
          ? 'The server limits the number of checks. They continue automatically; keep this page open.'
          : isRunning
            ? 'Keep this page open.'
            : 'Domains are also checked automatically.'}
      </p>
      <p className="visually-hidden" role="status">
        {!isRunning && `${done} of ${total} domains checked, ${wrong} with problems`}
      </p>
    </div>
  )
}
