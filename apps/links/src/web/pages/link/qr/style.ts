import type { Input, Result } from '../../../call.ts'

/** What a code looks like, as the fields have it. */
export interface QrStyle {
  shape: 'square' | 'round'
  eyes: 'square' | 'rounded' | 'circle'
  /** Null without a frame. */
  frame: string | null
  dark: string
  light: string
  size: number
  margin: number
  level: 'L' | 'M' | 'Q' | 'H'
}

export const DEFAULT_STYLE: QrStyle = {
  shape: 'square',
  eyes: 'square',
  frame: null,
  dark: '#000000',
  light: '#ffffff',
  size: 400,
  margin: 4,
  level: 'M',
}

/** Only what differs from a plain code, so that its address stays short. */
export function toQuery(style: QrStyle): NonNullable<Input<'getLinkQr'>['query']> {
  const { shape, eyes, frame, size, level, dark, light, margin } = style
  return {
    size,
    level,
    dark,
    light,
    ...(shape !== DEFAULT_STYLE.shape && { shape }),
    ...(eyes !== DEFAULT_STYLE.eyes && { eyes }),
    // A frame whose text is being typed.
    ...(frame !== null && frame.trim() !== '' && { frame }),
    ...(margin !== DEFAULT_STYLE.margin && { margin }),
  }
}

export type QrPreset = Result<'listQrPresets'>[number]

export function styleOf({ style }: QrPreset): QrStyle {
  return { ...style, dark: `#${style.dark}`, light: `#${style.light}` }
}

export function isSameStyle(one: QrStyle, other: QrStyle): boolean {
  return (Object.keys(DEFAULT_STYLE) as (keyof QrStyle)[]).every((name) => one[name] === other[name])
}
