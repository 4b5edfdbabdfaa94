import { Alert, Anchor, Group, Text } from '@mantine/core'
import { useCall } from '../queries.ts'
import { instance } from '../instance.ts'
import { useText } from '../texts/text.ts'

/** Announcement of the operator (R16.5) and notice of a demo (R26). */
export function InstanceNotices() {
  const { t } = useText()
  const { data } = useCall('config', 'getConfig', {})
  const announcement = data?.announcement
  return (
    <>
      {instance.isDemo && (
        <Alert color="orange" mb="md" py="xs" px="md">
          <strong>{t('demo.title')}.</strong> {t('demo.help')}
        </Alert>
      )}
      {announcement && (
        <Alert color="ink" mb="md" title={t('announcement.title')}>
          <Text size="sm" className="wrap" style={{ whiteSpace: 'pre-line' }}>
            {announcement}
          </Text>
        </Alert>
      )}
    </>
  )
}

export function SupportLink() {
  const { t } = useText()
  const { data } = useCall('config', 'getConfig', {})
  if (!data?.supportUrl) return null
  return (
    <Group mt="xl" gap="md">
      <Anchor size="sm" href={data.supportUrl} rel="noreferrer" underline="always">
        {t('support.link')}
      </Anchor>
    </Group>
  )
}
