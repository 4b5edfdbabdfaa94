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

/** Icon of a bundle on its accent: an emoji or the first four letters. */
export function BundleIcon({ icon, accent }: { icon: string | null; accent: Accent }) {
  const symbols = characters(icon?.trim() ?? '').slice(0, 4)
  const size = { 0: 0, 1: 20, 2: 16, 3: 13 }[symbols.length] ?? 11
  return (
    <Box
      aria-hidden
      w={40}
      h={40}
      fz={size}
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
      {symbols.length === 0 ? <IconFolder size={20} stroke={1.6} /> : symbols.join('')}
    </Box>
  )
}
