import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../../texts/text.ts'
import type { Rule } from '../../../parts/behaviour/types.ts'
import { ConditionFields } from './condition-fields.tsx'
import { isEmpty, newCondition, toConditions, toWhen } from '../../../parts/behaviour/conditions.ts'
import { DialogForm, type DialogProps, useErrorAt, useSaving } from './dialog-form.tsx'
import { isComplete, rememberDestinations, toDraft, toDestination } from './destination-draft.ts'
import { DestinationFields } from './destination-fields.tsx'

const MAX_LABEL_LENGTH = 100

/** A rule: its conditions, and where it leads. A new one becomes the last. */
export function RuleForm({ index, ...props }: DialogProps & { index: number | undefined }) {
  const { t } = useText()
  const saving = useSaving(props)
  const errorAt = useErrorAt(saving)
  const [before] = useState(() => props.snapshot.behaviour.rules?.[index ?? -1])
  const [conditions, setConditions] = useState(() =>
    before ? toConditions(before.when) : [newCondition('os')],
  )
  const [destination, setDestination] = useState(() => toDraft(before?.to ?? ''))
  const [label, setLabel] = useState(before?.label ?? '')
  const [isChecked, setIsChecked] = useState(false)
  const rules = saving.base.behaviour.rules ?? []
  // The behaviour that was loaded since may have the rule at another position, or not at all.
  const position = rules.findIndex((rule) => JSON.stringify(rule) === JSON.stringify(before))
  const place = position < 0 ? rules.length : position
  return (
    <DialogForm
      saving={saving}
      close={props.close}
      change={() => {
        setIsChecked(true)
        if (conditions.some(isEmpty) || !isComplete(destination)) return undefined
        rememberDestinations(destination)
        const rule: Rule = {
          when: toWhen(conditions),
          to: toDestination(destination, before?.to),
          ...(label.trim() !== '' && { label: label.trim() }),
        }
        return (behaviour) => ({
          ...behaviour,
          rules: [...rules.slice(0, place), rule, ...rules.slice(place + 1)],
        })
      }}
    >
      <Stack gap="lg">
        <ConditionFields
          conditions={conditions}
          onChange={setConditions}
          errorAt={(field) => errorAt(`rules.${place}.when.${field}`)}
          isChecked={isChecked}
        />
        <DestinationFields
          draft={destination}
          onChange={setDestination}
          errorAt={(path) => errorAt(`rules.${place}.to${path}`)}
          isChecked={isChecked}
        />
        <TextInput
          label={t('behaviour.label')}
          description={t('behaviour.labelHelp')}
          maxLength={MAX_LABEL_LENGTH}
          autoComplete="off"
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
        />
      </Stack>
    </DialogForm>
  )
}
