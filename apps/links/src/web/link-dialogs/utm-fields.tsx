import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import { useText } from '../texts/text.ts'
import { UtmTemplateField } from './utm-template.tsx'
import { UTM_NAMES, type UtmName, readUtm, rememberedUtm, writeUtm } from './utm.ts'

interface Props extends Pick<UtmFieldProps, 'url' | 'onChange'> {
  /** Name of the fields, if a form has several of them. These are closed until they are needed. */
  name?: string
}

/** The UTM parameters of a destination. The destination itself holds their values. */
export function UtmFields({ url, onChange, name }: Props) {
  const { t } = useText()
  const label = name ?? t('create.utm')
  const [remembered] = useState(rememberedUtm)
  const hasValues = UTM_NAMES.some((field) => readUtm(url, field) !== '')
  const [hadValues, setHadValues] = useState(hasValues)
  const [isOpen, setOpen] = useState(hasValues && name === undefined)
  // A URL with values was typed or pasted.
  if (hasValues && !hadValues) {
    setHadValues(true)
    if (name === undefined) setOpen(true)
  }
  return (
    <Stack gap="xs" align="stretch">
      <Button
        size={name === undefined ? 'compact-sm' : 'compact-xs'}
        variant={name === undefined ? 'default' : 'subtle'}
        aria-label={label}
        aria-expanded={isOpen}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setOpen(!isOpen)}
      >
        {t('create.utm')}
      </Button>
      {isOpen && (
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing="sm"
          verticalSpacing="sm"
          role="group"
          aria-label={label}
        >
          <UtmTemplateField url={url} onChange={onChange} />
          {UTM_NAMES.map((parameter) => (
            <UtmField
              key={parameter}
              name={parameter}
              url={url}
              recentValues={remembered[parameter] ?? []}
              onChange={onChange}
            />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  )
}

interface UtmFieldProps {
  name: UtmName
  url: string
  /** Values of earlier links. */
  recentValues: readonly string[]
  onChange: (url: string) => void
}

function UtmField({ name, url, recentValues, onChange }: UtmFieldProps) {
  const { t } = useText()
  const list = useId()
  return (
    <div>
      <TextInput
        label={t(`create.utm.${name}`)}
        description={`utm_${name}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        autoCapitalize="off"
        list={list}
        disabled={url.trim() === ''}
        value={readUtm(url, name)}
        onChange={({ currentTarget }) => onChange(writeUtm(url, name, currentTarget.value))}
      />
      <datalist id={list}>
        {recentValues.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </div>
  )
}
