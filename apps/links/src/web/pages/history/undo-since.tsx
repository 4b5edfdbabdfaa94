import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Input, call } from '../../call.ts'
import { Remaining } from '../../parts/history/remaining.tsx'
import { visible } from '../../parts/history/visible.ts'
import { MAX_DATE_TIME, fromField, zoneOfField } from '../../parts/moment-field.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

export interface UndoSinceProps {
  filter: Omit<Input<'undoChanges'>['body'], 'since'> & { assistant: string }
  opened: boolean
  onClose: () => void
}

/** Undoes what a program has changed since a moment, and says what stays. */
export default function UndoSince({ filter, opened, onClose }: UndoSinceProps) {
  const { t } = useText()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('history.undoTitle', { name: visible(filter.assistant) })}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Form filter={filter} onClose={onClose} />
    </Modal>
  )
}

function Form({ filter, onClose }: Omit<UndoSinceProps, 'opened'>) {
  const { t, failure, language } = useText()
  const [since, setSince] = useState('')
  const undo = useMutation({
    mutationFn: () => call('undoChanges', { body: { ...filter, since: fromField(since) ?? 0 } }),
    onSuccess({ undone, remaining }) {
      showSuccess(t('history.undone', { count: undone }))
      if (remaining.length === 0) onClose()
    },
    onSettled: () => invalidate('history', 'plans', 'links', 'bundles', 'totals'),
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (since !== '') undo.mutate()
      }}
    >
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('history.undoHelp', { name: visible(filter.assistant) })}
        </Text>
        <TextInput
          label={t('history.since')}
          description={zoneOfField(since, language)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="datetime-local"
          max={MAX_DATE_TIME}
          required
          data-autofocus
          value={since}
          onChange={({ currentTarget }) => {
            setSince(currentTarget.value)
            undo.reset()
          }}
        />
        {undo.error && (
          <Alert color="red" role="alert">
            {failure(undo.error)}
          </Alert>
        )}
        {undo.data && <Remaining remaining={undo.data.remaining} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t(undo.data ? 'shell.close' : 'confirm.cancel')}
          </Button>
          {!undo.data && (
            <Button type="submit" disabled={since === ''} loading={undo.isPending}>
              {t('history.undoYes')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
