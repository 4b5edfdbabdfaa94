import type { BunPlugin } from 'bun'

/** The browser scrolls by itself. `type` and the like are about Mantine's scrollbars. */
const SCROLL_AREA = `
import { Box } from '../../core/Box/Box.mjs'
import { jsx } from 'react/jsx-runtime'
export const ScrollArea = ({ type, scrollbarSize, offsetScrollbars, style, ...props }) =>
  jsx(Box, { ...props, style: [{ overflow: 'auto', scrollbarWidth: 'thin' }, style] })
ScrollArea.Autosize = ScrollArea
export { ScrollArea as ScrollAreaAutosize }
`

/**
 * Replaces the scrollbars that Mantine draws, which every list of options would load, with those of
 * the browser.
 */
export const nativeScroll: BunPlugin = {
  name: 'native-scroll',
  setup(build) {
    build.onLoad({ filter: /@mantine\/core\/esm\/components\/ScrollArea\/ScrollArea\.mjs$/ }, () => ({
      contents: SCROLL_AREA,
      loader: 'js',
    }))
  },
}
