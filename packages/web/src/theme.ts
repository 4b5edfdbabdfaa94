import { type CSSVariablesResolver, type MantineColorsTuple, createTheme, darken } from '@mantine/core'
import type { FormEvent, MouseEvent } from 'react'
import { NativeButton } from './parts/native-button.tsx'

/**
 * Keeps text typed in a dialog from being lost by a click outside it. Such a dialog closes by its
 * buttons or with Escape.
 */
const noteTyping = ({ currentTarget }: FormEvent<HTMLElement>) => {
  currentTarget.dataset['typed'] = 'true'
}
const keepTyped = (event: MouseEvent<HTMLElement>) => {
  if (event.currentTarget.parentElement?.querySelector('[data-typed]')) event.stopPropagation()
}

// Palettes of ten shades in equal steps of OKLCH lightness (docs/design.md).
const ink: MantineColorsTuple = [
  '#f1f6ff',
  '#e1ebff',
  '#c4d8ff',
  '#9dbdff',
  '#759efc',
  '#5180f3',
  '#3866e1',
  '#2750c2',
  '#1d3e9e',
  '#132a69',
]
const brass: MantineColorsTuple = [
  '#fff7eb',
  '#ffeccd',
  '#fdd89e',
  '#f4c170',
  '#e5ac4c',
  '#cd9635',
  '#ac7c26',
  '#8b641a',
  '#6f4f12',
  '#50380d',
]
const gray: MantineColorsTuple = [
  '#f9fafc',
  '#f2f4f6',
  '#e8eaef',
  '#dcdfe4',
  '#c7cbd2',
  '#a8acb6',
  '#7a808d',
  '#565c6a',
  '#363d4b',
  '#1b222e',
]
const dark: MantineColorsTuple = [
  '#e5e8ed',
  '#b8beca',
  '#979eae',
  '#727a8d',
  '#3f485a',
  '#2e3649',
  '#222a3b',
  '#192030',
  '#111725',
  '#0a0f1b',
]

/** Milliseconds of dialogs, menus and toasts that appear or disappear. The same as in theme.css. */
const MOTION_MS = 150
const appear = { transitionProps: { duration: MOTION_MS, timingFunction: 'cubic-bezier(0.2, 0.8, 0.2, 1)' } }

export const theme = createTheme({
  colors: { ink, brass, gray, dark },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  black: '#141a28',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  autoContrast: true,
  fontFamily: "Inter, 'Inter Fallback', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', 'Roboto Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.35' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1.25rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '999px' },
  shadows: {
    xs: 'var(--shadow-1)',
    sm: 'var(--shadow-1)',
    md: 'var(--shadow-2)',
    lg: 'var(--shadow-2)',
    xl: 'var(--shadow-3)',
  },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
  components: {
    UnstyledButton: { defaultProps: { component: NativeButton } },
    // The header of a dialog is not a second banner landmark of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Modal: { defaultProps: appear },
    Drawer: { defaultProps: appear },
    Popover: { defaultProps: appear },
    // A closed list, such as of all time zones, takes a quarter of the time that its page renders.
    Combobox: { defaultProps: { keepMounted: false } },
    ModalTitle: { defaultProps: { fw: 600, fz: 'lg' } },
    DrawerTitle: { defaultProps: { fw: 600, fz: 'lg' } },
    ModalContent: { defaultProps: { onInput: noteTyping } },
    DrawerContent: { defaultProps: { onInput: noteTyping } },
    ModalOverlay: { defaultProps: { onClickCapture: keepTyped } },
    DrawerOverlay: { defaultProps: { onClickCapture: keepTyped } },
    Paper: { defaultProps: { radius: 'md' } },
    // The first item has the focus, not a placeholder before it.
    Menu: {
      defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' }, ...appear },
    },
  },
})

/** Light surfaces of the dark scheme: at rest, hovered, and the text on them. */
const DARK_TINTS = {
  ink: ['#1d2c52', '#243663', '#c4d8ff'],
  orange: ['#3a2b17', '#46351d', '#f0bd63'],
  red: ['#41202a', '#4d2631', '#ffb4ad'],
} as const

/**
 * Replaces Mantine's colours that miss the contrast of AA: white on filled red, and hovered light
 * surfaces. Light surfaces of the dark scheme are tinted, not saturated.
 */
export const variables: CSSVariablesResolver = ({ colors, primaryColor }) => {
  const light: Record<string, string> = {}
  for (const name of [primaryColor, 'red'])
    light[`--mantine-color-${name}-light-color`] = darken(colors[name]?.[9] ?? '', 0.2)
  const red = {
    '--mantine-color-red-filled': colors.red[9],
    '--mantine-color-red-filled-hover': darken(colors.red[9], 0.12),
  }
  const tints: Record<string, string> = {}
  for (const [name, [surface, hover, text]] of Object.entries(DARK_TINTS)) {
    tints[`--mantine-color-${name}-light`] = surface
    tints[`--mantine-color-${name}-light-hover`] = hover
    tints[`--mantine-color-${name}-light-color`] = text
  }
  return { variables: {}, light: { ...light, ...red }, dark: { ...tints, ...red } }
}
