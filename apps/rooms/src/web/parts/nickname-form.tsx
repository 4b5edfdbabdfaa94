import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { type TextKey, useText } from '../texts/text.ts'

const MAX_LENGTH = 64

/** What is plainly wrong with a nickname, before the server looks at it (R14.6); undefined for nothing. */
function faultOf(nickname: string): TextKey | undefined {
  const name = nickname.trim()
  if (name === '') return 'login.nicknameRequired'
  return [...new Intl.Segmenter().segment(name)].length > MAX_LENGTH ? 'login.nicknameLong' : undefined
}

interface Props {
  /** Kept by whoever shows the form. */
  text: readonly [nickname: string, set: (nickname: string) => void]
  /** The words of the button. */
  button: string
  save: (nickname: string) => Promise<unknown>
}

/** A guest's nickname: what is wrong with it is said at the field, which then has the focus. */
export function NicknameForm({ text: [nickname, setNickname], button, save }: Props) {
  const { t, failure } = useText()
  const [fault, setFault] = useState<TextKey>()
  const field = useRef<HTMLInputElement>(null)
  const saving = useMutation({ mutationFn: save, onError: () => field.current?.focus() })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = faultOf(nickname)
    setFault(found)
    if (found) field.current?.focus()
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
