import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Result } from '../call.ts'
import { shortUrl, withoutScheme } from '../parts/short-url.ts'
import type { Translate } from '../texts/text.ts'

/** Confirms a new link, with a button that opens its page. */
export function showCreated(
  t: Translate,
  link: Result<'createLink'>,
  isCopied: boolean,
  open: () => void,
): void {
  const id = notifications.show({
    role: 'status',
    withCloseButton: false,
    title: t(isCopied ? 'create.createdCopied' : 'create.created'),
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {withoutScheme(shortUrl(link))}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id)
            open()
          }}
        >
          {t('create.open')}
        </Button>
      </Group>
    ),
  })
}
