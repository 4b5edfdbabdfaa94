import { Button, Group, Stack } from '@mantine/core'
import { SecretField } from '../../parts/secret-field.tsx'
import { useText } from '../../texts/text.ts'

/** The new secret of a webhook, which is not shown again. */
export function Secret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useText()
  return (
    <Stack gap="lg">
      <SecretField
        value={secret}
        label={t('webhooks.newSecret')}
        copyLabel={t('webhooks.copySecret')}
        title={t('webhooks.once')}
        help={t('webhooks.onceHelp')}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('webhooks.done')}
        </Button>
      </Group>
    </Stack>
  )
}
