import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@latchkey/web/icons'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '@latchkey/web/call'
import { useCopy } from '@latchkey/web/parts/copy'
import { type Input, call } from '../../call.ts'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

type Scope = Input<'createKey'>['body']['scope']

const SCOPES: readonly Scope[] = ['create,read', 'read', 'create']

/** Two steps in one dialog: what the key is, then the key itself, which only its own button closes. */
export function NewKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useText()
  const [rawKey, setRawKey] = useState<string>()
  const isMade = rawKey !== undefined
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t(isMade ? 'keys.made' : 'keys.new')}
      size="lg"
      closeOnClickOutside={!isMade}
      closeOnEscape={!isMade}
      withCloseButton={!isMade}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      transitionProps={{ onExited: () => setRawKey(undefined) }}
    >
      {isMade ? <Reveal rawKey={rawKey} onDone={onClose} /> : <Form onMade={setRawKey} onCancel={onClose} />}
    </Modal>
  )
}

function Form({ onMade, onCancel }: { onMade: (rawKey: string) => void; onCancel: () => void }) {
  const { t, failure } = useText()
  const [title, setTitle] = useState('')
  const [scope, setScope] = useState<Scope>('create,read')
  const make = useMutation({
    mutationFn: () => call('createKey', { body: { title, scope } }),
    async onSuccess({ raw_key }) {
      onMade(raw_key)
      await changed('keys')
    },
  })
  const isAboutTitle = make.error instanceof CallError && make.error.status === 400
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate()
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={t('keys.title')}
          description={t('keys.titleHelp')}
          data-autofocus
          required
          value={title}
          error={isAboutTitle && failure(make.error)}
          onChange={({ currentTarget }) => {
            setTitle(currentTarget.value)
            make.reset()
          }}
        />
        <ScopeChoice value={scope} onChange={setScope} />
        {make.error && !isAboutTitle && (
          <Alert color="red" role="alert">
            {failure(make.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t('keys.make')}
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
        {SCOPES.map((each) => (
          <Radio
            key={each}
            value={each}
            label={t(`keys.scope.${each}`)}
            description={t(`keys.scope.${each}Help`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function Reveal({ rawKey, onDone }: { rawKey: string; onDone: () => void }) {
  const { t } = useText()
  const { copied, copy } = useCopy()
  return (
    <Stack gap="lg">
      <Alert
        color="orange"
        role="alert"
        title={t('keys.once')}
        icon={<IconAlertTriangle size={20} aria-hidden />}
      >
        {t('keys.onceHelp')}
      </Alert>
      <Group align="end" gap="sm">
        <TextInput
          label={t('keys.made')}
          value={rawKey}
          readOnly
          flex="1 1 260px"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button
          autoFocus
          onClick={() => copy(rawKey)}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        >
          <span aria-live="polite">{t(copied ? 'copy.copied' : 'keys.copy')}</span>
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('keys.done')}
        </Button>
      </Group>
    </Stack>
  )
}
