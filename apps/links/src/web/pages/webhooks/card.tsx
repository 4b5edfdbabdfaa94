import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconHistory } from '@latchkey/web/icons'
import { useState } from 'react'
import { me } from '../../me.ts'
import { BundleChip } from '../../parts/bundle-chip.tsx'
import { Initials } from '../../parts/initials.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { WebhookActions } from './actions.tsx'
import { Deliveries } from './deliveries.tsx'
import { FailureNotice, WebhookState } from './state.tsx'
import { type Webhook, typeText } from './webhook.ts'

export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const { t } = useText()
  const { url, types, bundle, created_by: creator } = webhook
  const [isOpen, setOpen] = useState(false)
  return (
    <Paper component="li" withBorder p={{ base: 'md', sm: 'lg' }} style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }} miw={0}>
            <bdi>{url}</bdi>
          </Text>
          <WebhookActions webhook={webhook} />
        </Group>
        <Group gap="xs">
          <WebhookState webhook={webhook} />
          {bundle !== null && <Bundle id={bundle} />}
          {creator !== me.identity && (
            <Text size="sm" component="span" className="person">
              <Initials name={creator} />
              <bdi>{creator}</bdi>
            </Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {types.length === 0 ? t('webhooks.allTypes') : types.map((type) => t(typeText(type))).join(' · ')}
        </Text>
        <FailureNotice webhook={webhook} />
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconHistory size={16} aria-hidden />}
            aria-expanded={isOpen}
            aria-label={t(isOpen ? 'webhooks.hideDeliveriesOf' : 'webhooks.showDeliveriesOf', { url })}
            onClick={() => setOpen(!isOpen)}
          >
            {t(isOpen ? 'webhooks.hideDeliveries' : 'webhooks.showDeliveries')}
          </Button>
        </Group>
        {isOpen && <Deliveries webhook={webhook} />}
      </Stack>
    </Paper>
  )
}

function Bundle({ id }: { id: number }) {
  const { t } = useText()
  const { data, error } = useCall('bundles', 'getBundle', { params: { id } })
  if (data) return <BundleChip bundle={data.body} />
  return error ? (
    <Text size="sm" c="dimmed">
      {t('webhooks.bundleGone')}
    </Text>
  ) : null
}
