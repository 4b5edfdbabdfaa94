import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { BrandMark } from '../brand-mark.tsx'
import { useFocusFallback } from '../focus-fallback.ts'

interface Props {
  /** Omitted if it would repeat the heading of the page. */
  title?: string
  help?: string
  action?: ReactNode
  role?: 'alert' | 'status'
}

/** A notice for an empty list, no results, or an error: the mark, the state and the next step. */
export function Notice({ title, help, action, role }: Props) {
  useFocusFallback('main h1')
  return (
    <Paper withBorder p="xl" role={role}>
      <Stack align="center" gap="sm" py="lg">
        <BrandMark size={40} className="notice-mark" />
        {title !== undefined && (
          <Title order={2} ta="center">
            {title}
          </Title>
        )}
        {help !== undefined && (
          <Text c="dimmed" ta="center" maw={420}>
            {help}
          </Text>
        )}
        {action && <div className="notice-action">{action}</div>}
      </Stack>
    </Paper>
  )
}
