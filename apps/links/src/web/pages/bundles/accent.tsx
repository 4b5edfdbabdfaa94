import { Box } from '@mantine/core'
import { IconFolder } from '@latchkey/web/icons'
import type { Accent } from '../../../bundles/accent.ts'

const mantineColor = (accent: Accent) => (accent === 'purple' ? 'grape' : accent)

/** Colour of an accent as a line or dot, with enough contrast in both colour schemes. */
export const accentColor = (accent: Accent) => `var(--mantine-color-${mantineColor(accent)}-outline)`

/** Splits a text into grapheme clusters. An emoji of several code points is one. */
function characters(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

interface IconProps {
  icon: string | null
  accent: Accent
  /** Width and height, in pixels. */
  size?: number
}

/** Icon of a bundle on its accent: an emoji or the first four letters. */
export function BundleIcon({ icon, accent, size = 40 }: IconProps) {
  const symbols = characters(icon?.trim() ?? '').slice(0, 4)
  const textSize = { 0: 0, 1: 0.5, 2: 0.4, 3: 0.325 }[symbols.length] ?? 0.275
  return (
    <Box
      aria-hidden
      w={size}
      h={size}
      fz={size * textSize}
      fw={600}
      bg={`var(--mantine-color-${mantineColor(accent)}-light)`}
      style={{
        flex: 'none',
        display: 'grid',
        placeItems: 'center',
        overflow: 'hidden',
        whiteSpace: 'nowrap',
        borderRadius: 'var(--mantine-radius-md)',
        color: 'var(--mantine-color-text)',
      }}
    >
      {symbols.length === 0 ? <IconFolder size={size / 2} stroke={1.6} /> : symbols.join('')}
    </Box>
  )
}
