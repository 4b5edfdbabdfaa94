import { NativeSelect } from '@mantine/core'
import { me } from '../me.ts'
import { useText } from '../texts/text.ts'
import { defaultHost } from './short-url.ts'

interface Props {
  /** Empty for the default domain. */
  value: string
  description?: string
  onChange: (domain: string) => void
}

/** The choice of a domain. Renders nothing unless the instance has several. */
export function DomainField({ value, description, onChange }: Props) {
  const { t } = useText()
  if (me.domains.length === 0) return null
  return (
    <NativeSelect
      label={t('domains.domain')}
      description={description}
      data={[{ value: '', label: defaultHost }, ...me.domains]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
