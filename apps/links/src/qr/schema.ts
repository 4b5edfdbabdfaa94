import { z } from 'zod'
import { wholeNumber } from '../api/fields.ts'
import { trimmedText } from '../api/text.ts'
import { contrastRatio } from './qr.ts'
import { EYE_SHAPES, MODULE_SHAPES } from './styled/drawing.ts'
import { DRAWABLE_PATTERN, findUndrawable } from './styled/frame-text.ts'

const MIN_CONTRAST = 3
const MAX_FRAME_LENGTH = 30
/** Pixels. */
export const MAX_SIZE = 2048
/** Modules. */
export const MAX_MARGIN = 16

const Colour = z
  .string()
  .regex(/^#?[0-9a-fA-F]{6}$/, 'must be six hex digits')
  .transform((colour) => colour.replace('#', '').toLowerCase())

const Frame = trimmedText(MAX_FRAME_LENGTH)
  .min(1, 'must not be empty')
  .refine((text) => findUndrawable(text) === undefined, {
    error: ({ input }) => `cannot draw the character ${findUndrawable(String(input))}`,
  })
  .meta({ pattern: DRAWABLE_PATTERN })

/** What a code looks like. */
export const QrStyleFields = {
  size: wholeNumber(1, MAX_SIZE).default(220).meta({ description: 'Width in pixels.' }),
  level: z.enum(['L', 'M', 'Q', 'H']).default('M').meta({ description: 'Error correction.' }),
  margin: wholeNumber(0, MAX_MARGIN).default(4).meta({ description: 'Quiet zone in modules.' }),
  dark: Colour.default('000000').meta({ description: 'Colour of the modules, as RRGGBB.' }),
  light: Colour.default('ffffff').meta({ description: 'Colour of the background, as RRGGBB.' }),
  shape: z.enum(MODULE_SHAPES).default('square').meta({ description: 'Shape of the modules.' }),
  eyes: z
    .enum(EYE_SHAPES)
    .default('square')
    .meta({ description: 'Shape of the three large squares by which scanners find the code.' }),
  frame: Frame.optional().meta({
    description: `Text of a frame below the code, which makes the image higher than wide; at most ${MAX_FRAME_LENGTH} Latin characters.`,
  }),
}

/** Refuses colours that scanners cannot distinguish. */
export function requireContrast<Style extends z.ZodObject<Pick<typeof QrStyleFields, 'dark' | 'light'>>>(
  style: Style,
): Style {
  return style.refine(({ dark, light }) => contrastRatio(dark, light) >= MIN_CONTRAST, {
    path: ['dark'],
    params: { problem: 'low_contrast' },
    error: `must contrast with light at least ${MIN_CONTRAST}:1`,
  })
}
