/** A state as a glyph, a word and a colour. */
import { Icon, type IconName } from './icon.tsx'

const STATES = {
  good: { icon: 'check', tone: 'green', word: 'correct' },
  bad: { icon: 'close', tone: 'red', word: 'missing or wrong' },
  warning: { icon: 'quarantine', tone: 'amber', word: 'needs attention' },
  unknown: { icon: 'dash', tone: 'grey', word: 'not checked' },
} as const satisfies Readonly<Record<string, { icon: IconName; tone: string; word: string }>>

export type LampState = keyof typeof STATES

interface LampProps {
  readonly state: LampState
  readonly label: string
  /** The state in words, for the tooltip and screen readers. */
  readonly word?: string
}

export function Lamp({ state, label, word = STATES[state].word }: LampProps) {
  const { icon, tone } = STATES[state]
  return (
    <span className={`lamp tone-${tone}`} title={`${label}: ${word}`}>
      <Icon name={icon} />
      {label}
      <span className="visually-hidden">: {word}</span>
    </span>
  )
}
