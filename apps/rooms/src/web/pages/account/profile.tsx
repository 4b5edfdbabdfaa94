import { Box, Button, Group, Text } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { Link } from 'wouter'
import { loginPath } from '../../addresses.ts'
import { call } from '../../call.ts'
import { useUserDraft } from '../../user-draft.ts'
import { NicknameForm } from '../../parts/nickname-form.tsx'
import { UserAvatar, GuestBadge } from '../../parts/person.tsx'
import { Section } from '../../parts/section.tsx'
import { invalidate, useCall } from '../../queries.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { PictureButtons, PublicProfile } from './public-profile.tsx'

export function Profile({ user }: { user: User }) {
  const { t } = useText()
  const { data: config } = useCall('config', 'getConfig', {})
  const isGuest = user.identityType === 'guest'
  return (
    <Section title={t('account.profile')}>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <UserAvatar of={user} size={72} />
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} className="wrap">
              {user.nickname}
            </Text>
            {isGuest && <GuestBadge />}
          </Group>
          {user.email !== null && (
            <Text size="sm" c="dimmed" className="wrap">
              {user.email}
            </Text>
          )}
          {!isGuest && (
            <Box mt="xs">
              <PictureButtons user={user} />
            </Box>
          )}
        </div>
      </Group>
      <Text size="sm" c="dimmed" className="wrap">
        {isGuest
          ? t('account.guestHelp')
          : `${t('account.nameFrom', { label: config?.provider.label ?? '' })} ${t('profile.pictureHelp')}`}
      </Text>
      {!isGuest && <PublicProfile user={user} />}
      {isGuest && <Rename />}
      {isGuest && (
        <Group>
          <Button component={Link} href={loginPath('/account')} variant="default">
            {t('login.title')}
          </Button>
        </Group>
      )}
    </Section>
  )
}

function Rename() {
  const { t } = useText()
  const text = useUserDraft('nickname')
  const save = async (nickname: string) => {
    await call('renameGuest', { body: { nickname } })
    text[1]('')
    showSuccess(t('account.nameSaved'))
    await invalidate('session')
  }
  return <NicknameForm text={text} button={t('account.saveName')} save={save} />
}
