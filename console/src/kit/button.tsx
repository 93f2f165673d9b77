/** Buttons: a verb each. `strong` for the one thing to do on a page, `quiet` inside of bars and rows. */
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'
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
  /** What it does, for those who do not know the icon. */
  readonly label: string
}

export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}
