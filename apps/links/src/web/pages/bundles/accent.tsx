import { Box } from '@mantine/core'
import { IconFolder } from '@latchkey/web/icons'
import type { Result } from '../../call.ts'

export type Accent = Result<'getBundle'>['accent']

export const accents = ['orange', 'red', 'green', 'blue', 'purple'] as const satisfies readonly Accent[]

const mantineColor = (accent: Accent) => (accent === 'purple' ? 'grape' : accent)

/** The accent as a line or dot that stands out from the page, in both schemes. */
export const accentColor = (accent: Accent) => `var(--mantine-color-${mantineColor(accent)}-outline)`

/** Characters as a reader counts them: an emoji of several code points is one. */
function characters(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

/** A bundle's icon on its colour: an emoji or a few letters, of which the first four fit. */
export function BundleIcon({ icon, accent }: { icon: string | null; accent: Accent }) {
  const symbols = characters(icon?.trim() ?? '').slice(0, 4)
  const size = { 0: 0, 1: 20, 2: 16, 3: 13 }[symbols.length] ?? 11
  return (
    <Box
      aria-hidden
      w={40}
      h={40}
      fz={size}
      fw={650}
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
