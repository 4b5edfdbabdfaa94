import { foldText } from '@latchkey/http/fold'
import type { OptionsFilter } from '@mantine/core'

/** The filter of a searchable choice: options that contain the text, without case and accents. */
export const filterOptions: OptionsFilter = ({ options, search, limit }) => {
  const part = foldText(search.trim())
  return options
    .filter((option) => 'label' in option && foldText(option.label).includes(part))
    .slice(0, limit)
}
