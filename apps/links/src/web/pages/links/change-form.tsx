import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isRefusal } from '../../call.ts'
import { focusFirstField } from '../../parts/focus-first-field.ts'
import { MAX_DATE_TIME, fromField, zoneOfField } from '../../parts/moment-field.ts'
import { useText } from '../../texts/text.ts'
import type { FoundActions } from './use-found-actions.ts'

interface Props {
  actions: FoundActions
  onDone: () => void
}

/** What a form changes of many links. */
export type ChangeKind = 'expiry' | 'owner'

export default function ChangeForm({ kind, ...props }: Props & { kind: ChangeKind }) {
  return kind === 'expiry' ? <ExpiryForm {...props} /> : <OwnerForm {...props} />
}

function ExpiryForm({ actions, onDone }: Props) {
  const { t, language } = useText()
  const [text, setText] = useState('')
  const save = async (value: string) => {
    const count = await actions.expire(fromField(value))
    showSuccess(t('links.expirySet', { count }))
    onDone()
  }
  const seconds = fromField(text)
  const isPast = seconds !== null && seconds * 1000 <= Date.now()
  const isBusy = actions.done !== undefined
  return (
    <form
      ref={focusFirstField}
      onSubmit={(event) => {
        event.preventDefault()
        void save(text)
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('link.expires')}
          type="datetime-local"
          max={MAX_DATE_TIME}
          required
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          description={[zoneOfField(text, language), isPast && t('links.expiryPast')]
            .filter(Boolean)
            .join('. ')}
          inputWrapperOrder={['label', 'input', 'description']}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" loading={isBusy} onClick={() => void save('')}>
            {t('link.noExpiry')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('link.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A name that has created nothing here must be confirmed: a mistyped one would take the links from everyone. */
function OwnerForm({ actions, onDone }: Props) {
  const { t } = useText()
  const [owner, setOwner] = useState('')
  const [isConfirmed, setConfirmed] = useState(false)
  const transfer = useMutation({
    mutationFn: () => actions.transfer(owner.trim(), isConfirmed),
    onSuccess(count) {
      showSuccess(t('links.transferred', { count, owner: owner.trim() }))
      onDone()
    },
  })
  const isUnknown = isRefusal(transfer.error, 'owner_unknown')
  return (
    <form
      ref={focusFirstField}
      onSubmit={(event) => {
        event.preventDefault()
        transfer.mutate()
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t('links.transferHelp')}</Text>
        <TextInput
          label={t('links.newOwner')}
          required
          maxLength={320}
          dir="auto"
          value={owner}
          onChange={({ currentTarget }) => {
            setOwner(currentTarget.value)
            setConfirmed(false)
            transfer.reset()
          }}
          error={isUnknown && t('links.ownerUnknown')}
        />
        {(isUnknown || isConfirmed) && (
          <Checkbox
            label={t('links.confirmOwner')}
            checked={isConfirmed}
            onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={transfer.isPending} disabled={isUnknown && !isConfirmed}>
            {t('links.transfer')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
