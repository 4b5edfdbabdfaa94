import type { Modules } from '../modules.ts'
import { CAPITAL_HEIGHT, textPath } from './frame-text.ts'
import { type Path, circle, rectangle, roundedRectangle } from './path.ts'

export const MODULE_SHAPES = ['square', 'round'] as const
export const EYE_SHAPES = ['square', 'rounded', 'circle'] as const

export interface QrStyle {
  shape: (typeof MODULE_SHAPES)[number]
  eyes: (typeof EYE_SHAPES)[number]
  /** The text below the code. */
  frame?: string | undefined
}

interface Layer {
  fill: 'dark' | 'light'
  path: Path
  /** Edges of modules, which must not be blurred. */
  isCrisp?: boolean
}

/** Sizes and places in modules. */
export interface Drawing {
  width: number
  height: number
  /** From the lowest to the topmost. */
  layers: readonly Layer[]
}

const EYE = 7
/** Radii of the corners of an eye: outside, inside, and of its middle. */
const EYE_RADII = { square: [0, 0, 0], rounded: [2, 1.25, 0.9], circle: [3.5, 2.5, 1.5] } as const
/** Diameter of a round module, below 1, so that dots do not touch. */
const DOT = 0.92
const FRAME_WIDTH = 1.5
const FRAME_RADIUS = 2.5
/** Height of the band with the text, as a share of the width. */
const BAND = 0.2

export function drawStyled(modules: Modules, margin: number, { shape, eyes, frame }: QrStyle): Drawing {
  const border = frame === undefined ? 0 : FRAME_WIDTH
  const inner = modules.length + 2 * margin
  const width = inner + 2 * border
  const height = width + (frame === undefined ? 0 : width * BAND - border)
  const start = border + margin
  return {
    width,
    height,
    layers: [
      { fill: 'light', path: rectangle(0, 0, width, height) },
      ...(frame === undefined ? [] : drawFrame(frame, inner, width, height)),
      {
        fill: 'dark',
        path: drawModules(modules, start, shape),
        ...(shape === 'square' && { isCrisp: true }),
      },
      ...drawEyes(modules.length, start, eyes),
    ],
  }
}

function drawFrame(text: string, inner: number, width: number, height: number): Layer[] {
  const bandHeight = height - FRAME_WIDTH - inner
  const fontSize = bandHeight * 0.58
  const y = height - bandHeight / 2 + (fontSize * CAPITAL_HEIGHT) / 2
  return [
    { fill: 'dark', path: roundedRectangle({ x: 0, y: 0, width, height }, FRAME_RADIUS) },
    {
      fill: 'light',
      path: roundedRectangle(
        { x: FRAME_WIDTH, y: FRAME_WIDTH, width: inner, height: inner },
        FRAME_RADIUS - FRAME_WIDTH,
      ),
    },
    { fill: 'light', path: textPath(text, { x: width / 2, y, fontSize, maxWidth: width * 0.88 }) },
  ]
}

/** All dark modules but those of the eyes. */
function drawModules(modules: Modules, start: number, shape: QrStyle['shape']): Path {
  const last = modules.length - EYE
  const isEye = (x: number, y: number) => (x < EYE && (y < EYE || y >= last)) || (x >= last && y < EYE)
  let path = ''
  for (const [y, row] of modules.entries()) {
    const isDrawn = row.map((isDark, x) => isDark && !isEye(x, y))
    for (let x = 0; x < row.length; x++) {
      if (!isDrawn[x]) continue
      if (shape === 'round') path += circle(start + x + 0.5, start + y + 0.5, DOT / 2)
      else {
        const end = isDrawn.indexOf(false, x)
        const run = (end === -1 ? row.length : end) - x
        path += rectangle(start + x, start + y, run, 1)
        x += run
      }
    }
  }
  return path
}

function drawEyes(side: number, start: number, shape: QrStyle['eyes']): Layer[] {
  const [outside, inside, middle] = EYE_RADII[shape]
  const corners = [
    [start, start],
    [start + side - EYE, start],
    [start, start + side - EYE],
  ] as const
  const draw = (inset: number, radius: number) =>
    corners
      .map(([x, y]) => {
        const width = EYE - 2 * inset
        return radius === 0
          ? rectangle(x + inset, y + inset, width, width)
          : roundedRectangle({ x: x + inset, y: y + inset, width, height: width }, radius)
      })
      .join('')
  const isCrisp = shape === 'square'
  return [
    { fill: 'dark', path: draw(0, outside), isCrisp },
    { fill: 'light', path: draw(1, inside), isCrisp },
    { fill: 'dark', path: draw(2, middle), isCrisp },
  ]
}
