import { Alert, Button, Group, Stack } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { isRefusal, reply } from '../../../call.ts'
import { focusFirstField } from '../../../parts/focus-first-field.ts'
import { invalidate } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import { type BehaviourControls, writeBehaviour } from './behaviour.ts'
import type { Behaviour, NewBehaviour } from '../../../parts/behaviour/types.ts'
import { useSavedToast } from './use-behaviour-actions.ts'

export interface DialogProps extends Pick<BehaviourControls, 'link' | 'snapshot'> {
  close: () => void
}

type Change = (behaviour: Behaviour) => NewBehaviour

/**
 * Saves what a dialog changes of the behaviour that it was opened with. If anyone has changed the
 * link since, `reload` takes theirs as the new base, and what was typed stays.
 */
export function useSaving({ link, snapshot, close }: DialogProps) {
  const { t } = useText()
  const showSaved = useSavedToast(link)
  const [base, setBase] = useState(snapshot)
  const save = useMutation({
    mutationFn: (change: Change) => writeBehaviour(link.id, change(base.behaviour), base.version),
    async onSuccess(after) {
      close()
      showSaved(t('behaviour.saved'), base, after)
      await invalidate('links')
    },
  })
  const reload = useMutation({
    async mutationFn() {
      const { body, headers } = await reply('getBehaviour', { params: { id: link.id } })
      setBase({ behaviour: body, version: headers.get('ETag') ?? undefined })
      save.reset()
      await invalidate('links')
    },
  })
  return { base, save, reload }
}

export type Saving = ReturnType<typeof useSaving>

/** Returns the text of the problem that the service has found at a path of the document, or below it. */
export function useErrorAt({ save: { error } }: Saving) {
  const { t } = useText()
  return (path: string): string | undefined => {
    if (!(error instanceof CallError)) return undefined
    const field = error.fields.find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))
    if (!field) return undefined
    if (!/(?:url|to)$/.test(field.path)) return t('behaviour.invalid')
    return t(field.code === 'too_big' ? 'settings.rootLong' : 'error.urlInvalid')
  }
}

interface FormProps {
  saving: Saving
  close: () => void
  /** Returns the change, or undefined if the form shows what is missing. */
  change: () => Change | undefined
  children: ReactNode
}

export function DialogForm({ saving, close, change, children }: FormProps) {
  const { t } = useText()
  const { save } = saving
  return (
    <form
      ref={focusFirstField}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const next = save.isPending ? undefined : change()
        if (next) save.mutate(next)
      }}
    >
      <Stack gap="md">
        {children}
        <SavingProblem saving={saving} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {t('link.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('link.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function SavingProblem({ saving: { save, reload } }: { saving: Saving }) {
  const { t, failure } = useText()
  const error = reload.error ?? save.error
  if (!error) return null
  if (!isRefusal(error, 'link_changed'))
    return (
      <Alert color="red" role="alert">
        {failure(error)}
      </Alert>
    )
  return (
    <Alert color="orange" role="alert" title={t('behaviour.conflict')}>
      <Stack gap="xs" align="flex-start">
        {t('behaviour.conflictHelp')}
        <Button size="compact-sm" loading={reload.isPending} onClick={() => reload.mutate()}>
          {t('behaviour.loadLatest')}
        </Button>
      </Stack>
    </Alert>
  )
}
