/** Dark, light, or the system's theme. `public/assets/theme.js` applies the same setting before the first paint. */

export const THEMES = [
  { value: 'system', label: 'System theme' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const

export type Theme = (typeof THEMES)[number]['value']

const STORAGE_KEY = 'envelog.theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme)
  document.documentElement.dataset['theme'] = theme
  // Charts are drawn on a canvas with resolved colours and must be redrawn.
  window.dispatchEvent(new Event('themechange'))
}

/** Calls back when the theme changes, here or in the system. */
export function watchTheme(onChange: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', onChange)
  window.addEventListener('themechange', onChange)
  return () => {
    system.removeEventListener('change', onChange)
    window.removeEventListener('themechange', onChange)
  }
}
