import { ActionIcon } from '@mantine/core'
import { IconDownload } from '@latchkey/web/icons'
import { type Input, addressOf } from '../call.ts'
import { useText } from '../texts/text.ts'

interface Props {
  query: NonNullable<Input<'exportAnalyticsBreakdown'>['query']>
  valuesName: string
}

/** Downloads all values of a breakdown. */
export function CsvButton({ query, valuesName }: Props) {
  const { t } = useText()
  return (
    <ActionIcon
      component="a"
      href={addressOf('exportAnalyticsBreakdown', { query })}
      download
      variant="subtle"
      color="gray"
      aria-label={t('analytics.csvOf', { what: valuesName })}
      data-tooltip={t('analytics.csv')}
    >
      <IconDownload size={15} aria-hidden />
    </ActionIcon>
  )
}
