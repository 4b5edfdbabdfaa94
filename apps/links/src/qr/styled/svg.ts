import type { Drawing } from './drawing.ts'
import type { Colours } from './colours.ts'

/** `width` in pixels. */
export function toSvg(drawing: Drawing, width: number, colours: Colours): string {
  const height = Math.round((width * drawing.height) / drawing.width)
  const layers = drawing.layers.map(
    ({ fill, path, isCrisp }) =>
      `<path fill="#${colours[fill]}"${isCrisp ? ' shape-rendering="crispEdges"' : ''} d="${path}"/>`,
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${drawing.width} ${drawing.height}">` +
    `${layers.join('')}</svg>`
  )
}
