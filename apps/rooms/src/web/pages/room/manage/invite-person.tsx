import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isNarrow } from '../../../../members/search-part.ts'
import type { MemberRole } from '../../../../api/roles.ts'
import { type Result, call } from '../../../call.ts'
import { UserAvatar } from '../../../parts/person.tsx'
import { invalidate, useCall } from '../../../queries.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { RoleChoice } from './role-choice.tsx'

/** Searches have a rate limit (R22), so not every keystroke is one. */
const SEARCH_AFTER_MS = 600

export function InvitePerson({ room, mayModerators }: { room: Room; mayModerators: boolean }) {
  const { t } = useText()
  const [role, setRole] = useState<MemberRole>(room.defaultRole)
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), SEARCH_AFTER_MS)
  const isSearched = isNarrow(q)
  const search = useCall('invitations', 'searchPeople', { params: { id: room.id }, query: { q } }, isSearched)
  const invite = useMutation({
    mutationFn: ({ id }: { id: string; nickname: string }) =>
      call('inviteUser', { params: { id: room.id }, body: { userId: id, role } }),
    onSuccess: async (_, { nickname }) => {
      showSuccess(t('manage.invited', { name: nickname }))
      await invalidate('invitations')
    },
  })
  const error = invite.error ?? search.error
  const people = isSearched ? search.data?.users : undefined
  return (
    <Stack gap="sm">
      <Title order={3} size="h2">
        {t('manage.invitePerson')}
      </Title>
      <TextInput
        type="search"
        label={t('manage.findPeople')}
        description={t('manage.findHelp')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {error && (
        <Alert color="red" role="alert">
          <Refusal error={error} />
        </Alert>
      )}
      {people?.length === 0 && <Text c="dimmed">{t('manage.noneFound')}</Text>}
      {people && people.length > 0 && (
        <RoleChoice value={role} onChange={setRole} mayModerators={mayModerators} />
      )}
      <SearchResults
        people={people ?? []}
        isBusy={invite.isPending}
        onInvite={(person) => invite.mutate(person)}
      />
    </Stack>
  )
}

interface SearchResultsProps {
  people: Result<'searchPeople'>['users']
  isBusy: boolean
  onInvite: (person: Result<'searchPeople'>['users'][number]) => void
}

function SearchResults({ people, isBusy, onInvite }: SearchResultsProps) {
  const { t } = useText()
  return (
    <ul className="plain rows">
      {people.map((person) => (
        <Group key={person.id} component="li" gap="sm" wrap="nowrap">
          <UserAvatar of={person} />
          <Text size="sm" className="wrap" style={{ flex: 1, minWidth: 0 }}>
            {person.nickname}
          </Text>
          <Button
            size="xs"
            variant="default"
            flex="none"
            aria-label={t('manage.inviteNamed', { name: person.nickname })}
            disabled={isBusy}
            onClick={() => onInvite(person)}
          >
            {t('manage.invite')}
          </Button>
        </Group>
      ))}
    </ul>
  )
}
