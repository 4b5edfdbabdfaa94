import { Button } from '@mantine/core'
import { IconMail } from '@latchkey/web/icons'
import { Link } from 'wouter'
import { useCall, usePages } from '../queries.ts'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'

/** Wherever one is: that there are invitations and offers to be answered, and the way to them. */
export function PendingBadge({ user }: { user: User }) {
  const { t } = useText()
  // As the lobby reads them.
  const { pages } = usePages('pending', 'listPendingInvitations', {})
  const { data } = useCall('pending', 'listPendingTransfers', {})
  const invitations = pages?.flatMap((page) => page.invitations) ?? []
  const offers = data?.transfers.filter(({ toUserId }) => toUserId === user.id) ?? []
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
