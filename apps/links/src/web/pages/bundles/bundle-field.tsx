import { NativeSelect } from '@mantine/core'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from './use-all-bundles.ts'

interface BundleFieldProps {
  /** The id of a bundle; empty for none. */
  value: string
  onChange: (value: string) => void
  /** Whether the field is left out while there is no bundle to choose. */
  isHiddenWithoutBundles?: boolean
}

/** The bundle that a new link is added to. */
export function BundleField({ value, onChange, isHiddenWithoutBundles = false }: BundleFieldProps) {
  const { t } = useText()
  const bundles = useAllBundles().data ?? []
  if (isHiddenWithoutBundles && bundles.length === 0 && value === '') return null
  const isListed = value === '' || bundles.some(({ id }) => String(id) === value)
  return (
    <NativeSelect
      label={t('bundles.bundle')}
      data={[
        { value: '', label: t('create.noBundle') },
        // Archived by now, or not read yet.
        ...(isListed ? [] : [{ value, label: t('history.bundle', { id: value }) }]),
        ...bundles.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
