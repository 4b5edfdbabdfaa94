import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** Dimmed, and announced as busy, while it shows what was asked for before. */
export function Earlier({ is, children }: { is: boolean; children: ReactNode }) {
  return (
    <Stack gap="md" aria-busy={is} style={{ opacity: is ? 0.6 : 1 }}>
      {children}
    </Stack>
  )
}
