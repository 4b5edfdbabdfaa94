import { Button, Group, Input, Modal, Radio, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Accent, accentOfName, accents } from '../../../bundles/accent.ts'
import { type Result, call, fieldOfRefusal } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { BundleIcon, accentColor } from './accent.tsx'

type Bundle = Result<'createBundle'>

interface Props {
  /** The bundle to change. Without it, a new one is created. */
  bundle?: Bundle
  opened: boolean
  onClose: () => void
  /** Called when the dialog has closed. With it, the dialog does not return the focus itself. */
  onClosed?: () => void
  onSaved?: (bundle: Bundle) => void
}

/** Creates or changes a bundle. */
export function BundleDialog(props: Props) {
  const { t } = useText()
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t(props.bundle ? 'bundles.editTitle' : 'bundles.new')}
      size={500}
      returnFocus={!props.onClosed}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Form {...props} />
    </Modal>
  )
}

/** Error codes that are shown at a field. */
const FIELD_ERRORS = {
  name: ['name_required', 'name_too_long', 'name_malformed'],
  description: ['description_too_long', 'description_malformed'],
  icon: ['icon_too_long', 'icon_malformed'],
} as const

interface FormValues {
  name: string
  description: string
  icon: string
  /** The chosen accent; undefined while it follows the name. */
  accent: Accent | undefined
}

/** Values of the fields, and the mutation that saves them. */
function useForm({ bundle, onClose, onSaved }: Props) {
  const { failure } = useText()
  const [values, setValues] = useState<FormValues>({
    name: bundle?.name ?? '',
    description: bundle?.description ?? '',
    icon: bundle?.icon ?? '',
    accent: bundle?.accent,
  })
  const accent = values.accent ?? accentOfName(values.name)
  const save = useMutation({
    mutationFn() {
      const { description, icon, name } = values
      const body = { name, accent, description: description.trim() || null, icon: icon.trim() || null }
      return bundle
        ? call('updateBundle', { params: { id: bundle.id }, body })
        : call('createBundle', { body })
    },
    onSuccess(bundleSaved) {
      onClose()
      onSaved?.(bundleSaved)
      return invalidate('bundles')
    },
  })
  const field = fieldOfRefusal(save.error, FIELD_ERRORS)
  return {
    values,
    save,
    accent,
    setAccent: (next: Accent) => setValues((current) => ({ ...current, accent: next })),
    /** A refusal that no field caused. */
    refusal: save.error && field === undefined ? failure(save.error) : undefined,
    input: (name: 'name' | 'description' | 'icon') => ({
      value: values[name],
      error: field === name && failure(save.error),
      onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
        setValues((current) => ({ ...current, [name]: value })),
    }),
  }
}

function Form(props: Props) {
  const { t } = useText()
  const { values, save, accent, setAccent, refusal, input } = useForm(props)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="md">
        <TextInput label={t('bundles.name')} {...input('name')} required data-autofocus />
        <Textarea
          label={t('bundles.description')}
          {...input('description')}
          autosize
          minRows={2}
          maxRows={6}
        />
        <Group align="end" wrap="nowrap" gap="sm">
          <TextInput
            label={t('bundles.icon')}
            description={t('bundles.iconHelp')}
            {...input('icon')}
            flex={1}
          />
          <BundleIcon icon={values.icon} accent={accent} />
        </Group>
        <AccentChoice value={accent} onChange={setAccent} />
        {refusal !== undefined && <Input.Error role="alert">{refusal}</Input.Error>}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t(props.bundle ? 'bundles.save' : 'bundles.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function AccentChoice({ value, onChange }: { value: Accent; onChange: (accent: Accent) => void }) {
  const { t } = useText()
  return (
    <Radio.Group label={t('bundles.accent')} value={value} onChange={onChange}>
      <Group gap="md" mt={6}>
        {accents.map((accent) => (
          <Radio
            key={accent}
            value={accent}
            label={
              <Group gap={6} wrap="nowrap">
                <span
                  aria-hidden
                  style={{ width: 12, height: 12, borderRadius: '50%', background: accentColor(accent) }}
                />
                <Text span size="sm">
                  {t(`bundles.${accent}`)}
                </Text>
              </Group>
            }
          />
        ))}
      </Group>
    </Radio.Group>
  )
}
