import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Copy } from '@latchkey/web/parts/copy'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useState } from 'react'
import type { MemberRole } from '../../../../api/roles.ts'
import { call } from '../../../call.ts'
import { invalidate } from '../../../queries.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'
import { RoleChoice } from './role-choice.tsx'

/** Creates an invitation link. The link is shown once, because only its hash is stored. */
export function InviteLink({ room, mayModerators }: { room: Room; mayModerators: boolean }) {
  const { t } = useText()
  const [role, setRole] = useState<MemberRole>(room.defaultRole)
  const [hours, setHours] = useState<number | null>(24)
  const [uses, setUses] = useState<number | null>(1)
  const create = useMutation({
    mutationFn: () =>
      call('createInvitationLink', {
        params: { id: room.id },
        body: { role, expiresInHours: hours ?? 0, maxUses: uses ?? 0 },
      }),
    onSuccess: () => invalidate('invitations'),
  })
  return (
    <Stack gap="sm">
      <div>
        <Title order={3} size="h2">
          {t('manage.inviteLink')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('manage.inviteLinkHelp')}
        </Text>
      </div>
      <RoleChoice value={role} onChange={setRole} mayModerators={mayModerators} />
      <Group gap="sm" grow preventGrowOverflow={false}>
        <IntegerField label={t('manage.hours')} value={hours} min={1} max={720} onChange={setHours} />
        <IntegerField label={t('manage.maxUses')} value={uses} min={1} max={1000} onChange={setUses} />
      </Group>
      {create.error && (
        <Alert color="red" role="alert">
          <Refusal error={create.error} />
        </Alert>
      )}
      <Button loading={create.isPending} onClick={() => create.mutate()}>
        {t('manage.createLink')}
      </Button>
      {create.data && (
        <div role="status">
          <Text size="sm" fw={500}>
            {t('manage.linkCreated')}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t('manage.link')}
              readOnly
              value={create.data.url}
              onFocus={({ currentTarget }) => currentTarget.select()}
              style={{ flex: 1, minWidth: 0 }}
            />
            <Copy value={create.data.url} />
          </Group>
        </div>
      )}
    </Stack>
  )
}
