// Before the first paint, so that a page in the dark does not flash: the theme that was chosen, unless it is the system's.
const theme = localStorage.getItem('envelog.theme')
if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
