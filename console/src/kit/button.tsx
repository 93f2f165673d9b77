/** Buttons, labelled with a verb. `strong` is the main action of a page, `quiet` is for bars and rows. */
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './marks/icon.tsx'
import './button.css'

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'strong' | 'plain' | 'quiet' | 'danger'
  readonly icon?: IconName
}

export function Button({ look = 'plain', icon, className = '', children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button button-${look} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName
  /** What the button does, for the tooltip and screen readers. */
  readonly label: string
}

export function IconButton({ icon, label, className = '', children, ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
      {children}
    </button>
  )
}
