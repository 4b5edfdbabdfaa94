// Runs before the first paint and sets the person's colour scheme, else the browser's. Imports
// nothing, because it is not a module.
const { dataset } = document.documentElement
const { scheme } = dataset
const isKnown = scheme === 'light' || scheme === 'dark'
const dark = isKnown ? scheme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
dataset['mantineColorScheme'] = dark ? 'dark' : 'light'
