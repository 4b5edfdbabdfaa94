import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Nothing there, nothing found, or an error: what it is, and what to do next. */
export function Notice({ title, help, action }: { title: string; help?: string; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
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
