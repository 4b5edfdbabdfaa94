import { ActionIcon, Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@latchkey/web/icons'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { UtmFields } from '../../../link-dialogs/utm-fields.tsx'
import { useText } from '../../../texts/text.ts'
import { changeShare } from '../../../parts/behaviour/percentages.ts'
import { MAX_PARTS, type DestinationDraft, shareEqually, totalOf } from './destination-draft.ts'

interface Props {
  draft: DestinationDraft
  onChange: (draft: DestinationDraft) => void
  /** Text of the problem of the service at a path below the destination. */
  errorAt: (path: string) => string | undefined
  /** Whether missing values are shown as errors. */
  isChecked: boolean
}

/** One URL, or several with a share of the visitors each. */
export function DestinationFields(props: Props) {
  const { t } = useText()
  const { draft, onChange, errorAt, isChecked } = props
  return (
    <Stack gap="sm" component="fieldset" className="plain-fieldset">
      <Group justify="space-between" gap="xs">
        <Text component="legend" size="sm" fw={500}>
          {t('behaviour.leadsTo')}
        </Text>
        <SegmentedControl
          aria-label={t('behaviour.leadsTo')}
          size="xs"
          value={draft.isSplit ? 'split' : 'url'}
          onChange={(value) => onChange({ ...draft, isSplit: value === 'split' })}
          data={[
            { value: 'url', label: t('behaviour.oneUrl') },
            { value: 'split', label: t('behaviour.several') },
          ]}
        />
      </Group>
      {draft.isSplit ? (
        <SplitFields {...props} errorAt={(path) => errorAt(`.split${path}`)} />
      ) : (
        <>
          <TextInput
            aria-label={t('link.destination')}
            placeholder="https://"
            inputMode="url"
            autoComplete="off"
            required
            value={draft.url}
            error={errorAt('') ?? (isChecked && draft.url.trim() === '' && t('error.urlInvalid'))}
            onChange={({ currentTarget }) => onChange({ ...draft, url: currentTarget.value })}
          />
          <UtmFields url={draft.url} onChange={(url) => onChange({ ...draft, url })} />
        </>
      )}
    </Stack>
  )
}

export function SplitFields({ draft, onChange, errorAt, isChecked }: Props) {
  const { t } = useText()
  const { parts, isSticky } = draft
  return (
    <Stack gap="sm">
      {parts.map((_, index) => (
        <PartFields
          key={index}
          draft={draft}
          index={index}
          onChange={onChange}
          errorAt={errorAt}
          isChecked={isChecked}
        />
      ))}
      <Total draft={draft} onChange={onChange} isChecked={isChecked} />
      {parts.length < MAX_PARTS && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange(shareEqually(draft, [...parts, { url: '', share: null, label: '' }]))}
          >
            {t('behaviour.addPart')}
          </Button>
        </Group>
      )}
      <Checkbox
        label={t('behaviour.sticky')}
        description={t('behaviour.stickyHelp')}
        checked={isSticky}
        onChange={({ currentTarget }) => onChange({ ...draft, isSticky: currentTarget.checked })}
      />
    </Stack>
  )
}

function PartFields({ draft, index, onChange, errorAt, isChecked }: Props & { index: number }) {
  const { t } = useText()
  const { parts } = draft
  const { url = '', share = null } = parts[index] ?? {}
  const changeUrl = (next: string) =>
    onChange({ ...draft, parts: parts.map((part, each) => (each === index ? { ...part, url: next } : part)) })
  const change = (next: number | null) => {
    const shares = changeShare(
      parts.map((part) => part.share),
      index,
      next,
    )
    onChange({ ...draft, parts: parts.map((part, each) => ({ ...part, share: shares[each] ?? null })) })
  }
  const number = index + 1
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={t('behaviour.partUrl', { number })}
          placeholder="https://"
          inputMode="url"
          autoComplete="off"
          flex={1}
          required
          value={url}
          error={errorAt(`.${index}.url`) ?? (isChecked && url.trim() === '' && t('error.urlInvalid'))}
          onChange={({ currentTarget }) => changeUrl(currentTarget.value)}
        />
        <IntegerField
          aria-label={t('behaviour.partShare', { number })}
          w={72}
          min={1}
          max={99}
          value={share}
          onChange={change}
          rightSection="%"
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('behaviour.removePart', { number })}
          disabled={parts.length === 2}
          onClick={() => onChange(shareEqually(draft, parts.toSpliced(index, 1)))}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <UtmFields url={url} name={t('behaviour.partUtm', { number })} onChange={changeUrl} />
    </Stack>
  )
}

function Total({ draft, onChange, isChecked }: Pick<Props, 'draft' | 'onChange' | 'isChecked'>) {
  const { t, share } = useText()
  const total = totalOf(draft)
  const isWrong = total !== 100
  return (
    <Group gap="sm" mih={26}>
      <Text
        size="sm"
        c={isWrong ? 'var(--mantine-color-error)' : 'dimmed'}
        role={isChecked && isWrong ? 'alert' : 'status'}
      >
        {isWrong
          ? t('behaviour.totalWrong', { total: share(total / 100) })
          : t('behaviour.total', { total: share(1) })}
      </Text>
      <Button size="compact-xs" variant="subtle" onClick={() => onChange(shareEqually(draft, draft.parts))}>
        {t('behaviour.equally')}
      </Button>
    </Group>
  )
}
