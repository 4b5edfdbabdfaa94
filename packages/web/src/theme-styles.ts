import { MantineProvider } from '@mantine/core'
import type { BunPlugin } from 'bun'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { theme, variables } from './theme.ts'

/**
 * Returns the styles that Mantine computes from the theme in each page: its variables and the classes
 * of its breakpoints.
 */
export function themeStyles(): string {
  const provider = createElement(MantineProvider, { theme, cssVariablesResolver: variables })
  const html = renderToStaticMarkup(provider)
  return [...html.matchAll(/<style[^>]*>([^<]*)<\/style>/g)].map(([, styles]) => styles).join('\n')
}

/** Leaves out of a bundle what computes these styles: they are in its style sheet. */
export const computedStyles: BunPlugin = {
  name: 'computed-styles',
  setup(build) {
    build.onLoad({ filter: /\/Mantine(?:CssVariables|Classes)\.mjs$/ }, ({ path }) => ({
      contents: `export const ${/(\w+)\.mjs$/.exec(path)?.[1]} = () => null`,
      loader: 'js',
    }))
  },
}
