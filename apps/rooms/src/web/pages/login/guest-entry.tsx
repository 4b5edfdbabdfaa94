import { Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../call.ts'
import { NicknameForm } from '../../parts/nickname-form.tsx'
import { useText } from '../../texts/text.ts'

/** A nickname and nothing else (R14.1). `back` is where the guest then is. */
export function GuestEntry({ back }: { back: string }) {
  const { t } = useText()
  const text = useState('')
  const enter = async (nickname: string) => {
    await call('createGuestSession', { body: { nickname } })
    // A page of its own begins with the new session.
    location.assign(back)
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <div>
          <Title order={2}>{t('login.guestTitle')}</Title>
          <Text size="sm" c="dimmed" mt={4}>
            {t('login.guestHelp')}
          </Text>
        </div>
        <NicknameForm text={text} button={t('login.enter')} save={enter} />
      </Stack>
    </Paper>
  )
}
