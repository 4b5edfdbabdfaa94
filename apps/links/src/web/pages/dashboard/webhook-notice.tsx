import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@latchkey/web/icons'
import { Link as To } from 'wouter'
import { me } from '../../me.ts'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { stateOf } from '../webhooks/webhook.ts'

/** Reports a webhook of the user that the service has disabled (L30.5). */
export function WebhookNotice() {
  const { t } = useText()
  const webhooks = useCall('webhooks', 'listWebhooks', {}).data?.body ?? []
  const hasFailed = webhooks.some((one) => one.created_by === me.identity && stateOf(one) === 'failed')
  if (!hasFailed) return null
  return (
    <Alert color="red" role="status" icon={<IconAlertTriangle size={20} aria-hidden />}>
      {t('webhooks.failedNotice')}{' '}
      <Anchor size="sm" component={To} href="/webhooks" underline="always">
        {t('webhooks.showNotice')}
      </Anchor>
    </Alert>
  )
}
