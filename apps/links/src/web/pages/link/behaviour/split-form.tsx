import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../../texts/text.ts'
import { DialogForm, type DialogProps, useErrorAt, useSaving } from './dialog-form.tsx'
import { isComplete, rememberDestinations, stickyOf, toDraft, toParts } from './destination-draft.ts'
import { SplitFields } from './destination-fields.tsx'

/** The split of the visitors for whom no rule holds. */
export function SplitForm(props: DialogProps) {
  const { t } = useText()
  const saving = useSaving(props)
  const errorAt = useErrorAt(saving)
  const { split, sticky, rules } = props.snapshot.behaviour
  const [draft, setDraft] = useState(() => ({
    ...toDraft(split ? { split, ...(sticky && { sticky }) } : props.link.url),
    isSplit: true,
  }))
  const [isChecked, setIsChecked] = useState(false)
  return (
    <DialogForm
      saving={saving}
      close={props.close}
      change={() => {
        setIsChecked(true)
        if (!isComplete(draft)) return undefined
        rememberDestinations(draft)
        return ({ sticky: _, ...behaviour }) => ({
          ...behaviour,
          split: toParts(draft, split),
          ...stickyOf(draft),
        })
      }}
    >
      <Text size="sm" c="dimmed">
        {t(rules ? 'behaviour.splitElse' : 'behaviour.splitAll')}
      </Text>
      <SplitFields
        draft={draft}
        onChange={setDraft}
        errorAt={(path) => errorAt(`split${path}`)}
        isChecked={isChecked}
      />
      {split && (
        <Group>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={() => saving.save.mutate(({ split: __, sticky: _, ...behaviour }) => behaviour)}
          >
            {t('behaviour.removeSplit')}
          </Button>
        </Group>
      )}
    </DialogForm>
  )
}
