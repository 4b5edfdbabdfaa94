import { type CSSVariablesResolver, createTheme, darken } from '@mantine/core'
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

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  respectReducedMotion: true,
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  components: {
    UnstyledButton: { defaultProps: { component: NativeButton } },
    // The header of a dialog is not a second banner landmark of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    // Inside the page's content, not beside its landmarks.
    Tooltip: { defaultProps: { portalProps: { target: '#content' } } },
    ModalTitle: { defaultProps: { fw: 650 } },
    DrawerTitle: { defaultProps: { fw: 650 } },
    ModalContent: { defaultProps: { onInput: noteTyping } },
    DrawerContent: { defaultProps: { onInput: noteTyping } },
    ModalOverlay: { defaultProps: { onClickCapture: keepTyped } },
    DrawerOverlay: { defaultProps: { onClickCapture: keepTyped } },
    // The first item has the focus, not a placeholder before it.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
  },
})

/**
 * Replaces Mantine's colours that miss the contrast of AA: white on filled red, and hovered light
 * surfaces.
 */
export const variables: CSSVariablesResolver = ({ colors, primaryColor }) => {
  const light: Record<string, string> = {}
  for (const name of [primaryColor, 'red'])
    light[`--mantine-color-${name}-light-color`] = darken(colors[name]?.[9] ?? '', 0.2)
  const red = {
    '--mantine-color-red-filled': colors.red[9],
    '--mantine-color-red-filled-hover': darken(colors.red[9], 0.12),
  }
  return { variables: {}, light: { ...light, ...red }, dark: red }
}
