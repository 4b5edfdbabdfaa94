import { Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../../texts/text.ts'
import { DialogForm, type DialogProps, useSaving } from './dialog-form.tsx'

const CHOICES = ['none', 'utm', 'all'] as const
type Choice = (typeof CHOICES)[number]

/** Which parameters of the short URL are added to the destination, and whether its path fills it. */
export function ForwardForm(props: DialogProps) {
  const { t } = useText()
  const saving = useSaving(props)
  const [choice, setChoice] = useState<Choice>(props.snapshot.behaviour.forward_query ?? 'none')
  const [isFilled, setFilled] = useState(props.snapshot.behaviour.parameters === true)
  return (
    <DialogForm
      saving={saving}
      close={props.close}
      change={() =>
        ({ forward_query: _, parameters: __, ...behaviour }) => ({
          ...behaviour,
          ...(choice !== 'none' && { forward_query: choice }),
          ...(isFilled && { parameters: true as const }),
        })}
    >
      <Radio.Group
        label={t('behaviour.forwardLabel')}
        description={t('behaviour.forwardHelp')}
        value={choice}
        onChange={(value) => setChoice(value)}
      >
        <Stack gap="xs" mt="sm">
          {CHOICES.map((each) => (
            <Radio key={each} value={each} label={t(`behaviour.forward.${each}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={t('behaviour.parametersLabel')}
        description={t('behaviour.parametersHelp')}
        checked={isFilled}
        onChange={({ currentTarget }) => setFilled(currentTarget.checked)}
      />
    </DialogForm>
  )
}
