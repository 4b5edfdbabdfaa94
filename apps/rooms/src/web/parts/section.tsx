import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** Part of a page with its own heading. */
export function Section({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="md">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {help !== undefined && (
            <Text size="sm" c="dimmed" mt={4}>
              {help}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}
