import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** Dimmed and announced as busy while it shows the result of the previous query. */
export function StaleContent({ isStale, children }: { isStale: boolean; children: ReactNode }) {
  return (
    <Stack gap="md" aria-busy={isStale} style={{ opacity: isStale ? 0.6 : 1 }}>
      {children}
    </Stack>
  )
}
