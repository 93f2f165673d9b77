/** Dark, light, or what the system says. `public/assets/theme.js` reads the same before the first paint. */

export const THEMES = [
  { value: 'system', label: 'Theme of the system' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const

export type Theme = (typeof THEMES)[number]['value']

const STORED = 'envelog.theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(STORED)
    delete document.documentElement.dataset['theme']
  } else {
    localStorage.setItem(STORED, theme)
    document.documentElement.dataset['theme'] = theme
  }
  // Charts are painted with colours that were read once.
  window.dispatchEvent(new Event('themechange'))
}

/** Calls back when the colours have changed, whoever changed them. */
export function watchTheme(onChange: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', onChange)
  window.addEventListener('themechange', onChange)
  return () => {
    system.removeEventListener('change', onChange)
    window.removeEventListener('themechange', onChange)
  }
}
