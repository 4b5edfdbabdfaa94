import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Radio,
  Stack,
  Switch,
  Textarea,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../call.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from '../bundles/use-all-bundles.ts'
import { useProgramName } from './program-name.ts'
import type { Policy } from './types.ts'

const WRITES = ['direct', 'plan', 'none'] as const
const CONFIRM = ['never', 'destructive', 'always'] as const

/** Sets what a program may write for the viewer. */
export default function PolicyDialog({ policy, onClosed }: { policy: Policy; onClosed: () => void }) {
  const { t } = useText()
  const name = useProgramName()(policy)
  const [isOpen, { close }] = useDisclosure(true)
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      onExitTransitionEnd={onClosed}
      title={t('policies.dialog', { name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Form policy={policy} onClose={close} />
    </Modal>
  )
}

function useForm({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const { assistant, name: _name, identity: _identity, ...stored } = policy
  const [rules, setRules] = useState(stored)
  const [hosts, setHosts] = useState(stored.hosts?.join('\n') ?? '')
  const save = useMutation({
    mutationFn: () => {
      const list = hosts.split(/[\s,]+/).filter((host) => host !== '')
      const body = { ...rules, hosts: list.length > 0 ? list : null }
      return call('setPolicy', { params: { assistant }, body })
    },
    async onSuccess() {
      onClose()
      await invalidate('policies')
    },
  })
  const change = (part: Partial<typeof rules>) => {
    setRules({ ...rules, ...part })
    save.reset()
  }
  return { rules, change, hosts, setHosts, save }
}

function Form({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const { t, failure } = useText()
  const { rules, change, hosts, setHosts, save } = useForm({ policy, onClose })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="lg">
        <Radio.Group
          label={t('policies.writes')}
          value={rules.writes}
          onChange={(writes) => change({ writes })}
        >
          <Stack gap="xs" mt="xs">
            {WRITES.map((value) => (
              <Radio key={value} value={value} label={t(`policies.writes.${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
        {rules.writes !== 'none' && <Limits {...{ rules, change, hosts, setHosts }} />}
        {save.error && (
          <Alert color="red" role="alert">
            {failure(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('policies.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Limits({ rules, change, hosts, setHosts }: Omit<ReturnType<typeof useForm>, 'save'>) {
  const { t } = useText()
  return (
    <>
      <Radio.Group
        label={t('policies.confirm')}
        description={t('policies.confirmHelp')}
        value={rules.confirm}
        onChange={(confirm) => change({ confirm })}
      >
        <Stack gap="xs" mt="xs">
          {CONFIRM.map((value) => (
            <Radio key={value} value={value} label={t(`policies.confirm.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <NumberInput
        label={t('policies.limit')}
        description={t('policies.limitHelp')}
        min={1}
        allowDecimal={false}
        value={rules.writes_per_hour ?? ''}
        onChange={(value) => change({ writes_per_hour: typeof value === 'number' ? value : null })}
      />
      <Textarea
        label={t('policies.hosts')}
        description={t('policies.hostsHelp')}
        autosize
        minRows={2}
        maxRows={6}
        spellCheck={false}
        autoCapitalize="off"
        value={hosts}
        onChange={({ currentTarget }) => setHosts(currentTarget.value)}
      />
      <BundleChoice bundles={rules.bundles} onChange={(bundles) => change({ bundles })} />
    </>
  )
}

interface BundleChoiceProps {
  bundles: number[] | null
  onChange: (bundles: number[] | null) => void
}

function BundleChoice({ bundles, onChange }: BundleChoiceProps) {
  const { t } = useText()
  const all = useAllBundles().data ?? []
  return (
    <Stack gap="sm">
      <Switch
        label={t('policies.bundles')}
        checked={bundles !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? [] : null)}
      />
      {bundles && (
        <Checkbox.Group
          aria-label={t('policies.bundles')}
          value={bundles.map(String)}
          onChange={(chosen) => onChange(chosen.map(Number))}
        >
          <Stack gap="xs">
            {all.map(({ id, name }) => (
              <Checkbox key={id} value={String(id)} label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
