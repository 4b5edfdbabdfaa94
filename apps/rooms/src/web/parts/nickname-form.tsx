import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { type TextKey, useText } from '../texts/text.ts'

const MAX_LENGTH = 64

/**
 * Obvious fault of a nickname, found before the server checks it (R14.6). Undefined if there is
 * none.
 */
function faultOf(nickname: string): TextKey | undefined {
  const name = nickname.trim()
  if (name === '') return 'login.nicknameRequired'
  return [...new Intl.Segmenter().segment(name)].length > MAX_LENGTH ? 'login.nicknameLong' : undefined
}

interface Props {
  /** State of the field, held by the caller. */
  text: readonly [nickname: string, set: (nickname: string) => void]
  /** Label of the button. */
  button: string
  save: (nickname: string) => Promise<unknown>
}

/** Nickname of a guest. A fault is reported at the field, which gets the focus. */
export function NicknameForm({ text: [nickname, setNickname], button, save }: Props) {
  const { t, failure } = useText()
  const [fault, setFault] = useState<TextKey>()
  const field = useRef<HTMLInputElement>(null)
  const saving = useMutation({ mutationFn: save, onError: () => field.current?.focus() })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const nextFault = faultOf(nickname)
    setFault(nextFault)
    if (nextFault) field.current?.focus()
    else saving.mutate(nickname)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          ref={field}
          label={t('login.nickname')}
          value={nickname}
          onChange={({ currentTarget }) => {
            setNickname(currentTarget.value)
            setFault(undefined)
          }}
          error={fault ? t(fault) : saving.error && failure(saving.error)}
          autoComplete="nickname"
          maxLength={256}
        />
        <Button type="submit" variant="default" loading={saving.isPending}>
          {button}
        </Button>
      </Stack>
    </form>
  )
}
