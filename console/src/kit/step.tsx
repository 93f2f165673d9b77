/** A step of a checklist: done, or what there is to do. */
import type { ReactNode } from 'react'
import { Icon } from './marks/icon.tsx'
import './step.css'

interface StepProps {
  readonly title: string
  readonly isDone: boolean
  readonly children?: ReactNode
}

export function Step({ title, isDone, children }: StepProps) {
  return (
    <li className="check-step" data-done={isDone}>
      <span className={isDone ? 'tone-green check-mark' : 'check-mark'}>{isDone && <Icon name="check" />}</span>
      <div className="stack gap-6">
        <p className="medium">
          {title}
          <span className="visually-hidden">: {isDone ? 'done' : 'to do'}</span>
        </p>
        {children}
      </div>
    </li>
  )
}
