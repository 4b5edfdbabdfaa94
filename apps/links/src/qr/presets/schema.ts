import { z } from 'zod'
import { trimmedText } from '../../api/text.ts'
import { MAX_MARGIN, MAX_SIZE, QrStyleFields, requireContrast } from '../schema.ts'

const MAX_NAME_LENGTH = 60

/** What a code looks like, of any link. */
export const QrPresetStyle = requireContrast(
  z.strictObject({
    ...QrStyleFields,
    size: z.int().min(1).max(MAX_SIZE),
    margin: z.int().min(0).max(MAX_MARGIN),
    frame: QrStyleFields.frame.unwrap().nullable().default(null),
  }),
)
export type QrPresetStyle = z.output<typeof QrPresetStyle>

export const NewQrPreset = z.object({
  name: trimmedText(MAX_NAME_LENGTH).min(1, 'must not be empty'),
  style: QrPresetStyle,
})

export const QrPreset = z
  .object({ id: z.int(), name: z.string(), style: QrPresetStyle })
  .meta({ id: 'QrPreset' })
export type QrPreset = z.output<typeof QrPreset>
