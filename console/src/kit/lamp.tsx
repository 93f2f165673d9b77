/** A state in a glyph, a word and a colour. */
import { Icon, type IconName } from './icon.tsx'
import './lamp.css'

export type LampState = 'good' | 'bad' | 'warning' | 'unknown'

const GLYPHS: Readonly<Record<LampState, IconName>> = {
  good: 'check',
  bad: 'close',
  warning: 'quarantine',
  unknown: 'dash',
}
const WORDS: Readonly<Record<LampState, string>> = {
  good: 'right',
  bad: 'wrong',
  warning: 'to look at',
  unknown: 'not known',
}
const TONES: Readonly<Record<LampState, string>> = { good: 'green', bad: 'red', warning: 'amber', unknown: 'grey' }

export function Lamp({
  state,
  label,
  word = WORDS[state],
}: {
  readonly state: LampState
  readonly label: string
  readonly word?: string
}) {
  return (
    <span className={`lamp tone-${TONES[state]}`} title={`${label}: ${word}`}>
      <Icon name={GLYPHS[state]} />
      {label}
      <span className="visually-hidden">: {word}</span>
    </span>
  )
}
