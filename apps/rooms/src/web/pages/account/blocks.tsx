import { Button, Group, Text } from '@mantine/core'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { LoadMore } from '../../parts/load-more.tsx'
import { UserAvatar } from '../../parts/person.tsx'
import { Section } from '../../parts/section.tsx'
import { invalidate, usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** The people whom the user blocks; absent if there are none. */
export function Blocks() {
  const { t, failure } = useText()
  const { pages, ...next } = usePages('people', 'listBlocks', {})
  const unblock = useMutation({
    mutationFn: (userId: string) => call('unblockUser', { params: { userId } }),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('session', 'rooms', 'people'),
  })
  const blocks = pages?.flatMap((page) => page.blocks) ?? []
  const list = useFocusWhenGone<HTMLUListElement>(pages && blocks.length)
  if (blocks.length === 0) return null
  return (
    <Section title={t('profile.blocks')} help={t('profile.blocksHelp')}>
      <ul className="plain rows" ref={list} tabIndex={-1} aria-label={t('profile.blocks')}>
        {blocks.map(({ user }) => (
          <Group key={user.id} component="li" gap="sm" wrap="nowrap">
            <UserAvatar of={user} size={32} />
            <Text size="sm" className="wrap" style={{ flex: 1, minWidth: 0 }}>
              {user.nickname}
            </Text>
            <Button
              size="xs"
              variant="default"
              flex="none"
              aria-label={`${t('profile.unblock')}: ${user.nickname}`}
              disabled={unblock.isPending}
              onClick={() => unblock.mutate(user.id)}
            >
              {t('profile.unblock')}
            </Button>
          </Group>
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </Section>
  )
}
