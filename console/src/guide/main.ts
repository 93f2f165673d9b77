/** Script of the documentation: the search, the theme and the position in the page. Without it, the pages can be read as they are. */
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/layout.css'
import './guide.css'
import { chooseTheme, readTheme, THEMES } from '../frame/theme.ts'
import { addSearchBox } from './search-box.ts'
import { watchPosition } from './watch-position.ts'

const search = document.getElementById('search')
if (search) addSearchBox(search)

const button = document.getElementById('theme')
if (button) {
  const showTheme = () => {
    const theme = readTheme()
    button.textContent = theme === 'system' ? 'Auto' : theme === 'dark' ? 'Dark' : 'Light'
    button.title = THEMES.find(({ value }) => value === theme)?.label ?? ''
    button.setAttribute('aria-label', `${button.textContent}: change the theme`)
  }
  button.hidden = false
  button.addEventListener('click', () => {
    const at = THEMES.findIndex(({ value }) => value === readTheme())
    chooseTheme(THEMES[(at + 1) % THEMES.length]?.value ?? 'system')
    showTheme()
  })
  showTheme()
}

// In a long list the current page would be out of sight.
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' })
watchPosition()
