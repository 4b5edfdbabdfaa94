import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconUsers } from '@latchkey/web/icons'
import type { ReactNode } from 'react'
import { useText } from '../../texts/text.ts'
import type { Saving } from './saving.ts'

interface SectionProps {
  title: string
  /** Whom the section concerns, if not only the person. */
  note?: string
  children: ReactNode
}

export function Section({ title, note, children }: SectionProps) {
  return (
    <Paper withBorder p="lg" component="section">
      <Box mb="md">
        <Title order={2}>{title}</Title>
        {note !== undefined && (
          <Group gap={6} wrap="nowrap" mt={4}>
            <IconUsers size={15} aria-hidden style={{ flex: 'none' }} />
            <Text size="sm">{note}</Text>
          </Group>
        )}
      </Box>
      <Stack gap="lg">{children}</Stack>
    </Paper>
  )
}

/** A control that saves automatically, with the state of the save beside its label. */
export function SaveStatus({ saving, children }: { saving: Saving; children: ReactNode }) {
  const { t } = useText()
  return (
    <Box pos="relative">
      <Box pos="absolute" top={0} right={0} role="status">
        {saving.status === 'pending' && (
          <Text size="xs" c="dimmed">
            {t('settings.saving')}
          </Text>
        )}
        {saving.status === 'success' && (
          <Group gap={4}>
            <IconCheck size={14} aria-hidden />
            <Text size="xs">{t('settings.saved')}</Text>
          </Group>
        )}
      </Box>
      {children}
    </Box>
  )
}
