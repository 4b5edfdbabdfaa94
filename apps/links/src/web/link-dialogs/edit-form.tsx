import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, fieldOfRefusal } from '../call.ts'
import type { Link } from '../pages/link/link.ts'
import { fromField, toField } from '../parts/moment-field.ts'
import { invalidate } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { DestinationField, ExpiryField, LINK_FIELD_ERRORS, LabelField, type LinkValues } from './fields.tsx'
import { rememberUtm } from './utm.ts'
import { UtmFields } from './utm-fields.tsx'

const valuesOf = ({ url, label, expires_at }: Link): LinkValues => ({
  url,
  label: label ?? '',
  expires: expires_at === null ? '' : toField(expires_at),
})

/** Form for the destination, label and expiry of a link. It sends what was changed. */
export function EditForm({ link, close }: { link: Link; close: () => void }) {
  const { t, failure } = useText()
  const [before] = useState(() => valuesOf(link))
  const [values, setValues] = useState(before)
  const save = useMutation({
    mutationFn: () =>
      call('updateLink', {
        params: { id: link.id },
        body: {
          ...(values.url !== before.url && { url: values.url }),
          ...(values.label !== before.label && { label: values.label.trim() || null }),
          ...(values.expires !== before.expires && { expires_at: fromField(values.expires) }),
        },
      }),
    async onSuccess() {
      rememberUtm(values.url)
      close()
      await invalidate('links', 'bundles', 'totals')
    },
  })
  const wrongField = fieldOfRefusal(save.error, LINK_FIELD_ERRORS)
  const field = {
    values,
    change: (changes: Partial<LinkValues>) => setValues({ ...values, ...changes }),
    errorOf: (name: keyof LinkValues) => wrongField === name && failure(save.error),
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
    >
      <Stack gap="md">
        <DestinationField {...field} />
        <UtmFields url={values.url} onChange={(url) => setValues({ ...values, url })} />
        <LabelField {...field} />
        <ExpiryField {...field} />
        {save.error && wrongField === undefined && (
          <Alert color="red" role="alert">
            {failure(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {t('link.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('link.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
