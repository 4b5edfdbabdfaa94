import { Alert, Button, Checkbox, Group, Modal, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../call.ts'
import { UTM_NAMES } from '../../link-dialogs/utm.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import type { UtmTemplate } from './utm-templates.tsx'

const EMPTY = { name: '', source: '', medium: '', campaign: '', term: '', content: '', shared: false }

function valuesOf(template: UtmTemplate | null): typeof EMPTY {
  if (template === null) return EMPTY
  const { id: _, created_by: __, created_at: ___, ...values } = template
  return values
}

interface Props {
  /** Null for a new one. */
  template: UtmTemplate | null
  onClose: () => void
}

/** Creates a template, or changes one. */
export default function UtmTemplateDialog({ template, onClose }: Props) {
  const { t } = useText()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(template === null ? 'utm.new' : 'utm.editTitle')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <TemplateForm template={template} onClose={onClose} />
    </Modal>
  )
}

function TemplateForm({ template, onClose }: Props) {
  const { t, failure } = useText()
  const [values, setValues] = useState(() => valuesOf(template))
  const change = (changes: Partial<typeof EMPTY>) => setValues((current) => ({ ...current, ...changes }))
  const save = useMutation({
    mutationFn: () =>
      template === null
        ? call('createUtmTemplate', { body: values })
        : call('updateUtmTemplate', { params: { id: template.id }, body: values }),
    async onSuccess() {
      await invalidate('settings')
      onClose()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
    >
      <Stack gap="md">
        <Fields values={values} change={change} />
        {save.error && (
          <Alert color="red" role="alert">
            {failure(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
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

interface FieldsProps {
  values: typeof EMPTY
  change: (changes: Partial<typeof EMPTY>) => void
}

function Fields({ values, change }: FieldsProps) {
  const { t } = useText()
  return (
    <>
      <TextInput
        label={t('utm.name')}
        required
        data-autofocus
        maxLength={60}
        value={values.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        {UTM_NAMES.map((name) => (
          <TextInput
            key={name}
            label={t(`create.utm.${name}`)}
            description={`utm_${name}`}
            inputWrapperOrder={['label', 'input', 'description']}
            autoComplete="off"
            autoCapitalize="off"
            maxLength={200}
            value={values[name]}
            onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <Checkbox
        label={t('utm.share')}
        description={t('utm.shareHelp')}
        checked={values.shared}
        onChange={({ currentTarget }) => change({ shared: currentTarget.checked })}
      />
    </>
  )
}
