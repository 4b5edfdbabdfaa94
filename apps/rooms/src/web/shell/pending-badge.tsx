import { Button } from '@mantine/core'
import { IconMail } from '@latchkey/web/icons'
import { Link } from 'wouter'
import { usePages } from '../queries.ts'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'

/** Link to the invitations and offers that wait for an answer, with their number, on every page. */
export function PendingBadge({ user }: { user: User }) {
  const { t } = useText()
  // Same queries as in the lobby.
  const { pages } = usePages('pending', 'listPendingInvitations', {})
  const transfers = usePages('pending', 'listPendingTransfers', {}).pages?.flatMap((page) => page.transfers)
  const invitations = pages?.flatMap((page) => page.invitations) ?? []
  const offers = transfers?.filter(({ toUserId }) => toUserId === user.id) ?? []
  const count = invitations.length + offers.length
  return (
    <div role="status">
      {count > 0 && (
        <Button
          component={Link}
          href="/"
          variant="light"
          size="xs"
          px={8}
          leftSection={<IconMail size={16} aria-hidden />}
          aria-label={t('shell.waiting', { count })}
        >
          {count}
        </Button>
      )}
    </div>
  )
}
