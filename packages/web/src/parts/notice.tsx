import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusFallback } from '../focus-fallback.ts'

interface Props {
  title: string
  help?: string
  action?: ReactNode
  role?: 'alert'
}

/** Nothing there, nothing found, or an error: what it is, and what to do next. */
export function Notice({ title, help, action, role }: Props) {
  useFocusFallback('main h1')
  return (
    <Paper withBorder p="xl" role={role}>
      <Stack align="center" gap="xs" py="lg">
        <Title order={2} ta="center">
          {title}
        </Title>
        {help !== undefined && (
          <Text c="dimmed" ta="center" maw={420}>
            {help}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  )
}
