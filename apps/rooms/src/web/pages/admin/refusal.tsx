import { Anchor, Text } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { Link } from 'wouter'
import { Refusal } from '../../parts/refusal.tsx'
import { useText } from '../../texts/text.ts'

/** Reason of a refusal, and what to do about it. */
export function AdminRefusal({ error }: { error: Error }) {
  const { t } = useText()
  const code = error instanceof CallError ? error.code : undefined
  return (
    <>
      <Text size="sm">
        {code === 'last_admin' && t('admin.lastAdmin')}
        {code === 'account_disabled' && t('admin.accountDisabled')}
        {code === 'owns_rooms' && t('admin.ownsRooms')}
        {!['last_admin', 'account_disabled', 'owns_rooms'].includes(code ?? '') && <Refusal error={error} />}
      </Text>
      {code === 'owns_rooms' && <OwnedRooms error={error} />}
    </>
  )
}

/** Links to the rooms on the page where they can be taken over. */
function OwnedRooms({ error }: { error: Error }) {
  const { t } = useText()
  const ids = error instanceof CallError ? error.answer['roomIds'] : undefined
  if (!Array.isArray(ids)) return null
  return (
    <ul>
      {ids.map((id, index) => (
        <li key={String(id)}>
          <Anchor
            component={Link}
            href={`/admin?part=rooms&q=${encodeURIComponent(String(id))}`}
            underline="always"
            size="sm"
            c="inherit"
          >
            {t('account.ownedRoom', { number: index + 1 })}
          </Anchor>
        </li>
      ))}
    </ul>
  )
}
