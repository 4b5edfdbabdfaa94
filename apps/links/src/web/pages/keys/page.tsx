import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@latchkey/web/icons'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { Notice } from '@latchkey/web/parts/notice'
import { useCall } from '../../queries.ts'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { useText } from '../../texts/text.ts'
import { KeyTable } from './key-table.tsx'
import { NewKey } from './new-key.tsx'
import { Policies } from './policies.tsx'
import { UseKeys } from './snippets.tsx'

export default function Keys() {
  const { t } = useText()
  const keys = useCall('keys', 'listKeys', {})
  const table = useFocusWhenGone<HTMLTableElement>(keys.data?.body.length)
  const [isCreating, { open, close }] = useDisclosure()
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      {t('keys.new')}
    </Button>
  )
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" maw={640}>
          {t('keys.intro')}{' '}
          <Anchor href="/_/api/docs" target="_blank" underline="always">
            {t('keys.reference')}
          </Anchor>
        </Text>
        {keys.data?.body.length !== 0 && createButton}
      </Group>
      {keys.error && !keys.data && <ErrorNotice error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Skeleton height={240} />}
      {keys.data?.body.length === 0 && (
        <Notice title={t('keys.none')} help={t('keys.noneHelp')} action={createButton} />
      )}
      {keys.data && keys.data.body.length > 0 && <KeyTable ref={table} keys={keys.data.body} />}
      {keys.data && <Policies />}
      {keys.data && <UseKeys />}
      <NewKey opened={isCreating} onClose={close} />
    </Stack>
  )
}
