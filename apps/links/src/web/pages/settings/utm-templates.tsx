import { Badge, Button, Group, Skeleton, Text } from '@mantine/core'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { IconPlus } from '@latchkey/web/icons'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { OnUse } from '@latchkey/web/shell/on-use'
import { lazy, useState } from 'react'
import { type Result, call } from '../../call.ts'
import { UTM_NAMES } from '../../link-dialogs/utm.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { Section } from './section.tsx'

const UtmTemplateDialog = lazy(() => import('./utm-template-dialog.tsx'))

export type UtmTemplate = Result<'listUtmTemplates'>[number]

/** The templates of UTM parameters, of the person and of everyone. */
export function UtmTemplates() {
  const { t } = useText()
  const { data, error, refetch } = useCall('settings', 'listUtmTemplates', {})
  /** The template in the dialog; null for a new one. */
  const [edited, setEdited] = useState<UtmTemplate | null>()
  const templates = data?.body ?? []
  const list = useFocusWhenGone<HTMLUListElement>(templates.length)
  return (
    <Section title={t('utm.title')}>
      <Text size="sm" c="dimmed">
        {t('utm.help')}
      </Text>
      {error && !data && <ReadError error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={60} />}
      {templates.length > 0 && (
        <ul className="plain-list" ref={list} tabIndex={-1} aria-label={t('utm.title')}>
          {templates.map((template) => (
            <Item key={template.id} template={template} onEdit={() => setEdited(template)} />
          ))}
        </ul>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setEdited(null)}
        >
          {t('utm.new')}
        </Button>
      </Group>
      <OnUse isUsed={edited !== undefined}>
        {edited !== undefined && <UtmTemplateDialog template={edited} onClose={() => setEdited(undefined)} />}
      </OnUse>
    </Section>
  )
}

function Item({ template, onEdit }: { template: UtmTemplate; onEdit: () => void }) {
  const { t, failure } = useText()
  const { id, name, shared } = template
  const values = UTM_NAMES.map((each) => template[each]).filter((value) => value !== '')
  const remove = useMutation({
    mutationFn: () => call('deleteUtmTemplate', { params: { id } }),
    onSuccess: () => showSuccess(t('utm.deleted')),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('settings'),
  })
  return (
    <li className="change">
      <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-start">
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              <bdi>{name}</bdi>
            </Text>
            {shared && (
              <Badge variant="default" tt="none" fw={500}>
                {t('utm.everyone')}
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{values.join(' · ')}</bdi>
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('utm.editNamed', { name })}
            onClick={onEdit}
          >
            {t('utm.edit')}
          </Button>
          <Button
            size="compact-sm"
            variant="light"
            color="red"
            loading={remove.isPending}
            aria-label={t('utm.deleteNamed', { name })}
            onClick={() => remove.mutate()}
          >
            {t('utm.delete')}
          </Button>
        </Group>
      </Group>
    </li>
  )
}
