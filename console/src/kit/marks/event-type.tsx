/** The type of an event as a glyph and a word in its colour; colour alone does not reach every reader. */
import { EVENT_KINDS, type EventType } from './event-kinds.ts'

const GLYPHS: Readonly<Record<EventType, string>> = {
  Reception: 'M8 2.5v7M5 7l3 3 3-3M2.5 10.5v3h11v-3',
  Delivery: 'm3 8.5 3.5 3.5L13 4.5',
  Opened:
    'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM9.75 8a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0Z',
  Click: 'm5 5 8.5 3.2-3.8 1.5L8.2 13.5ZM2 5h-.5M5 2v-.5M2.8 2.8l-.4-.4',
  TransientFailure: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  Delayed: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0ZM8 5v3l2 1.5',
  Bounce: 'm4 4 8 8M12 4l-8 8',
  OOBBounce: 'M2.5 6.5h8a3 3 0 0 1 0 6h-3M5.5 3.5l-3 3 3 3',
  Feedback: 'M4 14V2.5h8.5L10.5 6l2 3.5H4',
}

export function TypeGlyph({ type }: { readonly type: EventType }) {
  const { tone } = EVENT_KINDS[type]
  return (
    <svg className={`type-glyph tone-${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={GLYPHS[type]} />
    </svg>
  )
}

export function TypeLabel({ type }: { readonly type: EventType }) {
  const { label, tone } = EVENT_KINDS[type]
  return (
    <span className={`type-label tone-${tone}`}>
      <TypeGlyph type={type} />
      <span>{label}</span>
    </span>
  )
}
