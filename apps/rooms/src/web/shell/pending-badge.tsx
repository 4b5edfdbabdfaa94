import { Button } from '@mantine/core'
import { IconMail } from '@latchkey/web/icons'
import { Link } from 'wouter'
import { usePages } from '../queries.ts'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'

/** Number of invitations and offers that wait for an answer of the user. None for guests. */
export function usePendingCount(user: User): number {
  // Same queries as in the lobby.
  const isMember = user.identityType === 'oauth'
  const { pages } = usePages('pending', 'listPendingInvitations', {}, isMember)
  const offered = usePages('pending', 'listPendingTransfers', {}, isMember)
  const transfers = offered.pages?.flatMap((page) => page.transfers)
  const invitations = pages?.flatMap((page) => page.invitations) ?? []
  const offers = transfers?.filter(({ toUserId }) => toUserId === user.id) ?? []
  return invitations.length + offers.length
}

/** Link to the invitations and offers that wait for an answer, with their number, on every page. */
export function PendingBadge({ user }: { user: User }) {
  const { t } = useText()
  const count = usePendingCount(user)
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
