// Runs before anything is painted: the person's colour scheme, else the browser's.
const { dataset } = document.documentElement
const chosen = dataset['scheme']
const dark = chosen === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
dataset['mantineColorScheme'] = dark ? 'dark' : 'light'
