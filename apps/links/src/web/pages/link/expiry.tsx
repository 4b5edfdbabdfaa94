import { Text } from '@mantine/core'
import { fromField, toField } from '../../parts/moment-field.ts'
import { dayAndTime } from '../../parts/time-zone.ts'
import { useText } from '../../texts/text.ts'
import { EditInPlace } from './edit-in-place.tsx'
import { type Link, isMine } from './link.ts'
import { updateLink } from './update-link.ts'

export function Expiry({ link }: { link: Link }) {
  const { id, expires_at } = link
  const { t, language } = useText()
  return (
    <EditInPlace
      mayEdit={isMine(link)}
      label={t('link.expires')}
      edit={t('link.editExpiry')}
      type="datetime-local"
      value={expires_at === null ? '' : toField(expires_at)}
      save={(value) => updateLink(id, { expires_at: fromField(value) })}
      hint={(value) => {
        const seconds = fromField(value)
        return seconds !== null && seconds * 1000 <= Date.now() ? t('link.expiryPast') : undefined
      }}
      clear={t('link.noExpiry')}
    >
      <Text size="sm">{expires_at === null ? t('link.never') : dayAndTime(expires_at, language)}</Text>
    </EditInPlace>
  )
}
