import { Button, FileButton, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { browserTimeZone } from '@latchkey/web/formats'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../call.ts'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { sendPicture } from './send-picture.ts'

const PICTURE_TYPES = 'image/png,image/jpeg,image/webp,image/gif,image/avif'

/** Title and time zone, which everyone who is signed in sees. */
export function PublicProfile({ user }: { user: User }) {
  const { data, error, refetch } = useCall('people', 'getPerson', { params: { userId: user.id } })
  if (!data) return <LoadingOrError error={error} onRetry={() => void refetch()} />
  return <Fields title={data.person.title} timeZone={data.person.timeZone} />
}

/** Buttons that set and remove the profile picture. */
export function PictureButtons({ user }: { user: User }) {
  const { t, failure } = useText()
  const save = useMutation({
    mutationFn: async (file: File | null) =>
      void (await (file ? sendPicture(file) : call('deletePicture', {}))),
    onSuccess: () => showSuccess(t('profile.saved')),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('session', 'people'),
  })
  return (
    <Group gap="xs">
      <FileButton accept={PICTURE_TYPES} onChange={(file) => file && save.mutate(file)}>
        {(props) => (
          <Button {...props} variant="default" size="xs" loading={save.isPending}>
            {t('profile.choose')}
          </Button>
        )}
      </FileButton>
      {user.avatarUrl !== null && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          disabled={save.isPending}
          onClick={() => save.mutate(null)}
        >
          {t('profile.remove')}
        </Button>
      )}
    </Group>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')

function Fields(read: { title: string | null; timeZone: string | null }) {
  const { t, failure } = useText()
  const [title, setTitle] = useState(read.title ?? '')
  const [timeZone, setTimeZone] = useState(read.timeZone ?? '')
  const save = useMutation({
    mutationFn: () => {
      const trimmed = title.trim()
      const body = { title: trimmed === '' ? null : trimmed, timeZone: timeZone === '' ? null : timeZone }
      return call('updateProfile', { body })
    },
    onSuccess: () => showSuccess(t('profile.saved')),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('people'),
  })
  const zones = [...new Set([browserTimeZone, ...(read.timeZone === null ? [] : [read.timeZone]), ...ZONES])]
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="md" align="flex-start">
        <TextInput
          label={t('profile.title')}
          description={t('profile.titleHelp')}
          maxLength={80}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          w="100%"
          maw={420}
        />
        <NativeSelect
          label={t('profile.zone')}
          description={t('profile.zoneHelp')}
          value={timeZone}
          onChange={({ currentTarget }) => setTimeZone(currentTarget.value)}
          data={[{ value: '', label: t('profile.noZone') }, ...zones]}
          maw={420}
        />
        <Button type="submit" variant="default" loading={save.isPending}>
          {t('profile.save')}
        </Button>
      </Stack>
    </form>
  )
}
