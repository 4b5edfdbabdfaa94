import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props {
  title: string
  /** Whether the page names the section already, such as on a tab. It is read out only. */
  isTitleHidden?: boolean
  help?: string
  children: ReactNode
}

/** Part of a page with its own heading. */
export function Section({ title, isTitleHidden = false, help, children }: Props) {
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="md">
        <div {...(isTitleHidden && { className: 'visually-hidden' })}>
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
