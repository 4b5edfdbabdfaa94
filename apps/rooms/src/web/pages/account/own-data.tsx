import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@latchkey/web/icons'
import { useState } from 'react'
import { addressOf } from '../../call.ts'
import { Section } from '../../parts/section.tsx'
import { useText } from '../../texts/text.ts'
import { DeleteAccount } from './delete-account.tsx'

/** Export and deletion of the account (R16.2). */
export function OwnData() {
  const { t } = useText()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Section title={t('account.data')} help={t('account.exportHelp')}>
        <Group>
          <Button
            component="a"
            href={addressOf('exportAccount', {})}
            download="latchkey-account.json"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('account.export')}
          </Button>
        </Group>
      </Section>
      <Section title={t('account.delete')}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm" c="dimmed">
            {t('account.deleteHelp')}
          </Text>
          <Button color="red" onClick={() => setAsking(true)}>
            {t('account.delete')}
          </Button>
        </Stack>
      </Section>
      {isAsking && <DeleteAccount onClose={() => setAsking(false)} />}
    </>
  )
}
