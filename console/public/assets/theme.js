// Applies the chosen theme before the first paint, so that a dark page does not flash white.
const theme = localStorage.getItem('envelog.theme')
if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
