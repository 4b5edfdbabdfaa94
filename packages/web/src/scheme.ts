// Runs before the first paint and sets the person's colour scheme, else the browser's. Imports
// nothing, because it is not a module.
const root = document.documentElement
if (root.dataset['choices'] === 'browser')
  try {
    // Stored by stored-preferences.ts.
    root.lang = localStorage.getItem('latchkey:lang') ?? ''
    root.dataset['scheme'] = localStorage.getItem('latchkey:scheme') ?? 'auto'
  } catch {
    // This browser has no storage.
  }
const chosen = root.dataset['scheme']
const isKnown = chosen === 'light' || chosen === 'dark'
const dark = isKnown ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
root.dataset['mantineColorScheme'] = dark ? 'dark' : 'light'
