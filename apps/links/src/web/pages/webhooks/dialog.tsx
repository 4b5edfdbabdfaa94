import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { eventTypes } from '../../../events/types.ts'
import { call, fieldOfRefusal } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from '../bundles/use-all-bundles.ts'
import { Secret } from './secret.tsx'
import { type Webhook, typeText } from './webhook.ts'

interface Props {
  /** The webhook to change. Without it, a new one is created. */
  webhook?: Webhook
  opened: boolean
  onClose: () => void
  /** Called when the dialog has closed. With it, the dialog does not return the focus itself. */
  onClosed?: () => void
}

/**
 * Creates or changes a webhook. Creation has a second step with the secret, which only its button
 * closes.
 */
export default function WebhookDialog({ webhook, opened, onClose, onClosed }: Props) {
  const { t } = useText()
  const [secret, setSecret] = useState<string>()
  const isCreated = secret !== undefined
  const title = webhook ? 'webhooks.editTitle' : isCreated ? 'webhooks.newSecret' : 'webhooks.new'
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(title)}
      size="lg"
      closeOnClickOutside={!isCreated}
      closeOnEscape={!isCreated}
      withCloseButton={!isCreated}
      returnFocus={!onClosed}
      onExitTransitionEnd={() => {
        setSecret(undefined)
        onClosed?.()
      }}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {isCreated ? (
        <Secret secret={secret} onDone={onClose} />
      ) : (
        <Form webhook={webhook} onClose={onClose} onCreated={setSecret} />
      )}
    </Modal>
  )
}

const isAboutLinks = (type: string) => type.startsWith('link.')
const ORDERED_TYPES = eventTypes.toSorted((a, b) => Number(isAboutLinks(b)) - Number(isAboutLinks(a)))

/** Error codes that are shown at a field. */
const FIELD_ERRORS = {
  url: ['url_required', 'url_invalid', 'url_too_long', 'url_malformed', 'url_private'],
} as const

interface FormProps {
  webhook: Webhook | undefined
  onClose: () => void
  onCreated: (secret: string) => void
}

/** Values of the fields, and the mutation that saves them. */
function useForm({ webhook, onClose, onCreated }: FormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [types, setTypes] = useState<string[]>(webhook?.types ?? [])
  const [bundle, setBundle] = useState(webhook?.bundle ?? null)
  const save = useMutation({
    async mutationFn() {
      const chosen = eventTypes.filter((type) => types.includes(type))
      const body = { url, types: chosen, bundle }
      if (!webhook) return onCreated((await call('createWebhook', { body })).secret)
      await call('updateWebhook', { params: { id: webhook.id }, body })
      onClose()
    },
    onSuccess: () => invalidate('webhooks'),
  })
  return { url, setUrl, types, setTypes, bundle, setBundle, save }
}

function Form(props: FormProps) {
  const { t, failure } = useText()
  const { url, setUrl, types, setTypes, bundle, setBundle, save } = useForm(props)
  const isAboutUrl = fieldOfRefusal(save.error, FIELD_ERRORS) === 'url'
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={t('webhooks.url')}
          description={t('webhooks.urlHelp')}
          type="url"
          required
          data-autofocus
          value={url}
          error={isAboutUrl && failure(save.error)}
          onChange={({ currentTarget }) => {
            setUrl(currentTarget.value)
            save.reset()
          }}
        />
        <TypeChoice types={types} onChange={setTypes} />
        <BundleChoice bundle={bundle} onChange={setBundle} />
        {save.error && !isAboutUrl && (
          <Alert color="red" role="alert">
            {failure(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t(props.webhook ? 'webhooks.save' : 'webhooks.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function TypeChoice({ types, onChange }: { types: string[]; onChange: (types: string[]) => void }) {
  const { t } = useText()
  return (
    <Checkbox.Group
      label={t('webhooks.types')}
      description={t('webhooks.typesHelp')}
      value={types}
      onChange={onChange}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs" mt="xs">
        {ORDERED_TYPES.map((type) => (
          <Checkbox key={type} value={type} label={t(typeText(type))} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

function BundleChoice({
  bundle,
  onChange,
}: {
  bundle: number | null
  onChange: (bundle: number | null) => void
}) {
  const { t } = useText()
  const bundles = useAllBundles().data ?? []
  const isListed = bundle === null || bundles.some(({ id }) => id === bundle)
  return (
    <NativeSelect
      label={t('webhooks.bundle')}
      value={bundle ?? ''}
      onChange={({ currentTarget: { value } }) => onChange(value === '' ? null : Number(value))}
      data={[
        { value: '', label: t('webhooks.anyBundle') },
        // Archived or deleted by now.
        ...(isListed ? [] : [{ value: String(bundle), label: t('history.bundle', { id: bundle }) }]),
        ...bundles.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  )
}
