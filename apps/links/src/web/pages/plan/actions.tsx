import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../call.ts'
import { Remaining } from '../../parts/history/remaining.tsx'
import { invalidate } from '../../queries.ts'
import { me } from '../../me.ts'
import { useText } from '../../texts/text.ts'
import type { Plan } from './plan.ts'

const refresh = () => invalidate('plans', 'links', 'bundles', 'totals', 'history')

/** What the viewer can do with the plan, and what an undo left. */
export function PlanActions({ plan }: { plan: Plan }) {
  const { t, failure } = useText()
  const params = { id: plan.id }
  const apply = useMutation({
    mutationFn: () => call('applyPlan', { params }),
    onSuccess: () => showSuccess(t('plans.applied')),
    onSettled: refresh,
  })
  const discard = useMutation({
    mutationFn: () => call('discardPlan', { params }),
    onSuccess: () => showSuccess(t('plans.discarded')),
    onSettled: refresh,
  })
  const undo = useMutation({
    mutationFn: () => call('undoPlan', { params }),
    onSuccess: ({ undone }) => showSuccess(t('history.undone', { count: undone })),
    onSettled: refresh,
  })
  const [lastError] = [apply, discard, undo]
    .toSorted((a, b) => b.submittedAt - a.submittedAt)
    .map((each) => each.error)
  if (plan.identity !== me.identity) return null
  return (
    <>
      {lastError && (
        <Alert color="red" role="alert">
          {failure(lastError)}
        </Alert>
      )}
      {undo.data && <Remaining remaining={undo.data.remaining} />}
      {plan.state === 'open' && (
        <Group role="group" aria-label={t('plans.changes', { count: plan.change_count })}>
          <Text size="sm" fw={500} className="figure">
            {t('plans.changes', { count: plan.change_count })}
          </Text>
          <Button variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
            {t('plans.discard')}
          </Button>
          {deletes(plan) ? (
            <Confirmed name="apply" action={apply} />
          ) : (
            <Button loading={apply.isPending} onClick={() => apply.mutate()}>
              {t('plans.apply')}
            </Button>
          )}
        </Group>
      )}
      {plan.state === 'applied' && (
        <Group>
          <Confirmed name="undo" action={undo} variant="default" />
        </Group>
      )}
    </>
  )
}

const DELETIONS: readonly string[] = ['deletes_links', 'deletes_bundles']

/** Whether the plan deletes links, bundles or slugs, about which the page asks once more. */
function deletes({ warnings, ops }: Plan): boolean {
  return (
    warnings.some(({ code }) => DELETIONS.includes(code)) ||
    ops.some(({ operation }) => operation.startsWith('removeSlug'))
  )
}

interface ConfirmedProps {
  name: 'apply' | 'undo'
  variant?: string
  action: { isPending: boolean; mutate: () => void }
}

/** A button whose dialog says what happens. */
function Confirmed({ name, variant = 'filled', action }: ConfirmedProps) {
  const { t } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant={variant} loading={action.isPending} onClick={open}>
        {t(`plans.${name}`)}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t(`plans.${name}Title`)}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
      >
        <Stack gap="md">
          <Text size="sm">{t(`plans.${name}Help`)}</Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} data-autofocus>
              {t('confirm.cancel')}
            </Button>
            <Button
              onClick={() => {
                close()
                action.mutate()
              }}
            >
              {t(`plans.${name}Yes`)}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
