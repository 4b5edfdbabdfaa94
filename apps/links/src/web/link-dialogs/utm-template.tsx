import { Anchor, NativeSelect } from '@mantine/core'
import { Link } from 'wouter'
import { useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { UTM_NAMES, writeUtm } from './utm.ts'

/** Fills the UTM parameters of a URL from a template. Renders nothing until there is one. */
export function UtmTemplateField({ url, onChange }: { url: string; onChange: (url: string) => void }) {
  const { t } = useText()
  const templates = useCall('settings', 'listUtmTemplates', {}).data?.body ?? []
  if (templates.length === 0) return null
  const fill = (id: string) => {
    const template = templates.find((each) => String(each.id) === id)
    if (!template) return
    const named = UTM_NAMES.filter((name) => template[name] !== '')
    onChange(named.reduce((result, name) => writeUtm(result, name, template[name]), url))
  }
  return (
    <NativeSelect
      label={t('utm.template')}
      description={
        <Anchor component={Link} href="/settings" size="xs" underline="always">
          {t('utm.manage')}
        </Anchor>
      }
      inputWrapperOrder={['label', 'input', 'description']}
      disabled={url.trim() === ''}
      value=""
      data={[
        { value: '', label: t('utm.choose') },
        ...templates.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      onChange={({ currentTarget }) => fill(currentTarget.value)}
    />
  )
}
