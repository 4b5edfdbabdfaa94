import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '@latchkey/web/call'
import { type Input, call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { SecretField } from '../../parts/secret-field.tsx'
import { useText } from '../../texts/text.ts'
import { Snippets } from './snippets.tsx'

type Scope = Input<'createKey'>['body']['scope']

const SCOPES: readonly Scope[] = ['create,read', 'read', 'create']

/** Dialog with two steps: the form, then the new key. Only its button closes the second step. */
export function NewKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useText()
  const [rawKey, setRawKey] = useState<string>()
  const isCreated = rawKey !== undefined
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(isCreated ? 'keys.newKey' : 'keys.new')}
      size="lg"
      closeOnClickOutside={!isCreated}
      closeOnEscape={!isCreated}
      withCloseButton={!isCreated}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      transitionProps={{ onExited: () => setRawKey(undefined) }}
    >
      {isCreated ? (
        <Reveal rawKey={rawKey} onDone={onClose} />
      ) : (
        <Form onCreated={setRawKey} onCancel={onClose} />
      )}
    </Modal>
  )
}

function Form({ onCreated, onCancel }: { onCreated: (rawKey: string) => void; onCancel: () => void }) {
  const { t, failure } = useText()
  const [title, setTitle] = useState('')
  const [scope, setScope] = useState<Scope>('create,read')
  const create = useMutation({
    mutationFn: () => call('createKey', { body: { title, scope } }),
    async onSuccess({ raw_key }) {
      onCreated(raw_key)
      await invalidate('keys')
    },
  })
  const isAboutTitle = create.error instanceof CallError && create.error.status === 400
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={t('keys.title')}
          description={t('keys.titleHelp')}
          data-autofocus
          required
          value={title}
          error={isAboutTitle && failure(create.error)}
          onChange={({ currentTarget }) => {
            setTitle(currentTarget.value)
            create.reset()
          }}
        />
        <ScopeChoice value={scope} onChange={setScope} />
        {create.error && !isAboutTitle && (
          <Alert color="red" role="alert">
            {failure(create.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function ScopeChoice({ value, onChange }: { value: Scope; onChange: (value: Scope) => void }) {
  const { t } = useText()
  return (
    <Radio.Group label={t('keys.scope')} value={value} onChange={onChange}>
      <Stack gap="sm" mt="xs">
        {SCOPES.map((option) => (
          <Radio
            key={option}
            value={option}
            label={t(`keys.scope.${option}`)}
            description={t(`keys.scope.${option}Help`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function Reveal({ rawKey, onDone }: { rawKey: string; onDone: () => void }) {
  const { t } = useText()
  return (
    <Stack gap="lg">
      <SecretField
        value={rawKey}
        label={t('keys.newKey')}
        copyLabel={t('keys.copy')}
        title={t('keys.once')}
        help={t('keys.onceHelp')}
      />
      <Snippets rawKey={rawKey} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('keys.done')}
        </Button>
      </Group>
    </Stack>
  )
}
