import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import '@mantine/charts/styles.css'
import './main.css'
import { type CSSVariablesResolver, MantineProvider, createTheme, darken } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { queries } from './queries.ts'
import { Shell } from './shell/shell.tsx'
import { startTexts } from './texts/text.ts'

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  components: {
    // The header of a dialog is no second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    // Part of the page's content, not beside its landmarks.
    Tooltip: { defaultProps: { portalProps: { target: '#content' } } },
    ModalTitle: { defaultProps: { fw: 650 } },
  },
})

/** Where the theme's own colours miss the contrast of AA: white on filled red, and hovered light surfaces. */
const variables: CSSVariablesResolver = ({ colors, primaryColor }) => {
  const light: Record<string, string> = {}
  for (const name of [primaryColor, 'red'])
    light[`--mantine-color-${name}-light-color`] = darken(colors[name]?.[9] ?? '', 0.2)
  const red = {
    '--mantine-color-red-filled': colors.red[9],
    '--mantine-color-red-filled-hover': darken(colors.red[9], 0.12),
  }
  return { variables: {}, light: { ...light, ...red }, dark: red }
}

const { scheme } = document.documentElement.dataset

await startTexts()
const root = document.querySelector('#app')
if (root)
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme={scheme === 'light' || scheme === 'dark' ? scheme : 'auto'}
      // The person's setting decides, on every machine; nothing is kept in this browser.
      colorSchemeManager={{
        get: (fallback) => fallback,
        set() {},
        subscribe() {},
        unsubscribe() {},
        clear() {},
      }}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" />
        <Shell />
      </QueryClientProvider>
    </MantineProvider>,
  )
