// Runs before anything is painted: the person's colour scheme, else the browser's. Imports nothing: it is no module.
const root = document.documentElement
if (root.dataset['choices'] === 'browser')
  try {
    // As stored-preferences.ts keeps them.
    root.lang = localStorage.getItem('latchkey:lang') ?? ''
    root.dataset['scheme'] = localStorage.getItem('latchkey:scheme') ?? 'auto'
  } catch {
    // Nothing can be kept in this browser.
  }
const chosen = root.dataset['scheme']
const isKnown = chosen === 'light' || chosen === 'dark'
const dark = isKnown ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
root.dataset['mantineColorScheme'] = dark ? 'dark' : 'light'
