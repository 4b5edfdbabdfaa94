import { encodeQR } from 'qr'

export type QrLevel = 'L' | 'M' | 'Q' | 'H'

/** Rows of modules from the top; true for dark ones. */
export type Modules = readonly (readonly boolean[])[]

const CORRECTION_LEVELS = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

/** The text does not fit in the largest code of its level. */
export class QrTooLong extends RangeError {}

/** Throws `QrTooLong` for a text that does not fit in the largest code of this level. */
export function encodeModules(text: string, level: QrLevel): Modules {
  try {
    // The library refuses a border of 0, so the smallest border is removed again.
    const bordered = encodeQR(text, 'raw', { ecc: CORRECTION_LEVELS[level], border: 1 })
    return bordered.slice(1, -1).map((row) => row.slice(1, -1))
  } catch (error) {
    const bytes = new TextEncoder().encode(text).length
    throw new QrTooLong(`${bytes} bytes do not fit in a QR code of level ${level}`, { cause: error })
  }
}
