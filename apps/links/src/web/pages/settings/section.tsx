import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCheck } from '@latchkey/web/icons'
import type { ReactNode } from 'react'
import { useText } from '../../texts/text.ts'
import type { Saving } from './saving.ts'

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section">
      <Title order={2} mb="md">
        {title}
      </Title>
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
