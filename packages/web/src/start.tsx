import './theme.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { changeTimeZone } from './formats.ts'
import { queries } from './queries.ts'
import { Toasts } from './shell/toasts.tsx'
import { type Wording, startTexts } from './texts.ts'
import { theme } from './theme.ts'

/** Milliseconds after which the manifest is loaded, which only an installation of the client needs. */
const MANIFEST_AFTER_MS = 5_000

function addManifest(): void {
  const link = Object.assign(document.createElement('link'), {
    rel: 'manifest',
    href: '/manifest.webmanifest',
  })
  document.head.append(link)
}

/** Shows dark pages in light colours on paper, on which browsers print no backgrounds. */
function printLight({ dataset }: HTMLElement): void {
  let screenScheme: string | undefined
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) screenScheme = dataset['mantineColorScheme']
    if (screenScheme !== undefined) dataset['mantineColorScheme'] = matches ? 'light' : screenScheme
  })
}

/**
 * Renders a client in the page that `bundleClient` writes (build.ts): its theme, its texts and its
 * queries around `children`, once `page` has loaded. Until then, the HTML of the page stays.
 *
 * @example await startClient(<Shell />, wording, preloadPage(location.pathname, { pages, details }))
 */
export async function startClient(
  children: ReactNode,
  wording: Wording,
  page = Promise.resolve(),
): Promise<void> {
  const { dataset } = document.documentElement
  const { scheme, timeZone = null } = dataset
  dataset['mantineColorScheme'] ??= matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  printLight(document.documentElement)
  changeTimeZone(timeZone)
  await Promise.all([startTexts(wording), page])
  // The scripts have run in this task. The page is rendered in one of its own.
  await new Promise((resolve) => setTimeout(resolve))
  setTimeout(addManifest, MANIFEST_AFTER_MS)
  const root = document.querySelector('#app')
  if (!root) return
  createRoot(root).render(
    <MantineProvider
      theme={theme}
      defaultColorScheme={scheme === 'light' || scheme === 'dark' ? scheme : 'auto'}
      // The page sets the scheme. The code that changes it also stores it: on the server or in this
      // browser (stored-preferences.ts).
      colorSchemeManager={{
        get: (fallback) => fallback,
        set() {},
        subscribe() {},
        unsubscribe() {},
        clear() {},
      }}
    >
      <QueryClientProvider client={queries}>
        <Toasts />
        {children}
      </QueryClientProvider>
    </MantineProvider>,
  )
}
