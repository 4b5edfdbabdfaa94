/** Six hex digits each, without `#`. */
export interface Colours {
  dark: string
  light: string
}

/** Red, green and blue, 0 to 255. */
export function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
