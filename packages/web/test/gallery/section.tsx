import { Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** Parts of one kind, below a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder p="md">
      <Stack gap="md">
        <Title order={2} id={id}>
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
