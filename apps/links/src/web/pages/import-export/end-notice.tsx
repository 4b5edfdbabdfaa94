import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useLocation } from 'wouter'
import { useText } from '../../texts/text.ts'
import { type Job, isPageMounted } from './job.ts'
import { resultTexts } from './result-texts.ts'

/** Notifies users on other pages that an import has ended, with a button that opens its result. */
export function useEndNotice(): (job: Job | undefined) => void {
  const { t } = useText()
  const [, go] = useLocation()
  return (job) => {
    if (!job || isPageMounted()) return
    const { title, help, count } = resultTexts(job)
    const id = notifications.show({
      autoClose: false,
      ...(job.state !== 'done' && { color: 'red' }),
      closeButtonProps: { 'aria-label': t('shell.close') },
      title: t(title),
      message: (
        <Group justify="space-between" gap="xs">
          <Text size="sm">{help && t(help, { count })}</Text>
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => {
              notifications.hide(id)
              go('/import-export')
            }}
          >
            {t('transfer.show')}
          </Button>
        </Group>
      ),
    })
  }
}
