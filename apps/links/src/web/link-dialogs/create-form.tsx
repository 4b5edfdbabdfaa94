import { Alert, Anchor, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useDraft } from '@latchkey/web/draft-storage'
import { Copy } from '@latchkey/web/parts/copy'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type Input, type Result, fieldOfRefusal } from '../call.ts'
import { me } from '../me.ts'
import { BundleField } from '../pages/bundles/bundle-field.tsx'
import { isMine } from '../pages/link/link.ts'
import { DomainField } from '../parts/domain-field.tsx'
import { fromField, toField } from '../parts/moment-field.ts'
import { shortUrl, withoutScheme } from '../parts/short-url.ts'
import { invalidate, useCall } from '../queries.ts'
import { textOf, useText } from '../texts/text.ts'
import { type NewLink, createLink, withDefaults } from './create-link.ts'
import { showCreated } from './created-toast.tsx'
import { DestinationField, EMPTY_LINK, ExpiryField, LINK_FIELD_ERRORS, LabelField } from './fields.tsx'
import { QrPreview } from './qr-preview.tsx'
import type { InitialValues } from './state.ts'
import { rememberUtm } from './utm.ts'
import { UtmFields } from './utm-fields.tsx'

const EMPTY = { ...EMPTY_LINK, slug: '', bundle: '', domain: '', forward: 'none' as NewLink['forward'] }
type Values = typeof EMPTY

const FIELD_ERRORS = {
  ...LINK_FIELD_ERRORS,
  slug: ['slug_required', 'slug_invalid', 'slug_too_long', 'slug_reserved', 'slug_taken'],
} as const

function bodyOf({ url, label, slug, expires }: Values): Input<'createLink'>['body'] {
  return {
    url,
    ...(label && { label }),
    ...(slug && { slug }),
    ...(expires && { expires_at: fromField(expires) }),
  }
}

interface CreateRequest extends NewLink {
  draft: string
}

/** What was typed, without the defaults of the person. */
const parseDraft = (draft: string): Partial<Values> =>
  draft === '' ? {} : (JSON.parse(draft) as Partial<Values>)

/** The values of a new link before anything is typed. */
function useDefaultValues(): Values {
  const defaults = useCall('settings', 'getDefaults', {}).data?.body
  if (!defaults) return EMPTY
  const { domain, body, bundle, forward } = withDefaults('', defaults)
  return { ...EMPTY, domain, bundle, forward, expires: body.expires_at ? toField(body.expires_at) : '' }
}

/** The browser may refuse, such as on a page over plain HTTP. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function useCreate(onCreated: (draft: string) => void) {
  const { t, failure } = useText()
  const [, go] = useLocation()
  return useMutation({
    mutationFn: (request: CreateRequest) => createLink(request, (error) => showError(failure(error))),
    async onSuccess(link, { body, draft }) {
      if (link.duplicate) return
      rememberUtm(body.url)
      onCreated(draft)
      showCreated(t, link, await copied(shortUrl(link)), () => go(`/links/${link.id}`))
      await invalidate('links', 'bundles', 'totals')
    },
  })
}

/**
 * Form for a new link. The draft outlasts the dialog until the link is created. Text that was typed
 * after the request stays.
 */
export function CreateForm({ initial, close }: { initial: InitialValues; close: () => void }) {
  const { failure } = useText()
  const [draft, setDraft] = useDraft(me.identity, 'new-link')
  const values = { ...useDefaultValues(), ...parseDraft(draft) }
  const change = (changes: Partial<Values>) =>
    setDraft((current) => JSON.stringify({ ...parseDraft(current), ...changes }))
  useInitialValues(initial, change)
  // The draft may be older than the settings of the instance.
  const domain = me.domains.includes(values.domain) ? values.domain : ''
  const create = useCreate((sentDraft) => {
    setDraft((current) => {
      if (current === sentDraft) close()
      return current === sentDraft ? '' : current
    })
  })
  const wrongField = fieldOfRefusal(create.error, FIELD_ERRORS)
  const errorOf = (name: keyof typeof FIELD_ERRORS) => wrongField === name && failure(create.error)
  const send = (extra: { allow_duplicate?: true } = {}) =>
    create.mutate({
      body: { ...bodyOf(values), ...extra },
      domain,
      bundle: values.bundle,
      forward: values.forward,
      draft,
    })
  const field = { values, change, errorOf }
  return (
    <form
      className="create-link"
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) send()
      }}
    >
      <Stack gap="md" className="create-link-fields">
        <DestinationField {...field} />
        <UtmFields url={values.url} onChange={(url) => change({ url })} />
        <DomainField value={domain} onChange={(next) => change({ domain: next })} />
        <Group gap="sm" align="flex-start">
          <SlugField value={values.slug} domain={domain} error={errorOf('slug')} change={change} />
          <LabelField {...field} flex="1 1 180px" />
        </Group>
        <BundleField value={values.bundle} onChange={(bundle) => change({ bundle })} isHiddenWithoutBundles />
        <ExpiryField {...field} />
        <ForwardField value={values.forward} change={change} />
        {create.error && wrongField === undefined && (
          <Alert color="red" role="alert">
            {failure(create.error)}
          </Alert>
        )}
        <div role="status">
          {create.data?.duplicate && (
            <Duplicate link={create.data} close={close} onAnother={() => send({ allow_duplicate: true })} />
          )}
        </div>
      </Stack>
      <QrPreview slug={values.slug.trim().toLowerCase()} domain={domain || undefined} />
      <Buttons isPending={create.isPending} close={close} />
    </form>
  )
}

function Buttons({ isPending, close }: { isPending: boolean; close: () => void }) {
  const { t } = useText()
  return (
    <Group justify="flex-end" gap="sm" className="create-link-buttons">
      <Button variant="default" onClick={close}>
        {t('link.cancel')}
      </Button>
      <Button type="submit" loading={isPending}>
        {t('create.create')}
      </Button>
    </Group>
  )
}

/** Puts the values that the dialog was opened with into the draft. */
function useInitialValues(initial: InitialValues, change: (changes: Partial<Values>) => void) {
  useEffect(() => {
    if (Object.keys(initial).length > 0) change(initial)
    // The effect runs only when the dialog opens with values.
  }, [initial])
}

interface SlugProps {
  value: string
  domain: string
  error: string | false
  change: (changes: Partial<Values>) => void
}

/** The next look-up waits for a pause in typing. */
const CHECK_AFTER_MS = 300

/** Whether a typed slug could be used now; undefined while unknown. */
function useSlugCheck(value: string, domain: string): Result<'checkSlug'> | undefined {
  const slug = value.trim()
  const [settled] = useDebouncedValue(slug, CHECK_AFTER_MS)
  const { data, isPlaceholderData } = useCall(
    'links',
    'checkSlug',
    { query: { slug: settled, ...(domain && { domain }) } },
    settled !== '',
  )
  return slug === settled && settled !== '' && !isPlaceholderData ? data?.body : undefined
}

function SlugField({ value, domain, error, change }: SlugProps) {
  const { t } = useText()
  const check = useSlugCheck(value, domain)
  const problem = check?.code && t(textOf(check.code))
  return (
    <TextInput
      id="link-slug"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={
        check?.available && (
          <Text span inherit c="var(--positive)">
            {t('create.slugFree')}
          </Text>
        )
      }
      label={t('links.slug')}
      placeholder={t('create.slugHelp')}
      flex="1 1 180px"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      value={value}
      error={error || problem}
      onChange={({ currentTarget }) => change({ slug: currentTarget.value })}
    />
  )
}

/** Shown to those whose new links forward parameters by default, or whose next one shall. */
function ForwardField({
  value,
  change,
}: {
  value: NewLink['forward']
  change: (changes: Partial<Values>) => void
}) {
  const { t } = useText()
  const [isShown] = useState(value !== 'none')
  if (!isShown && value === 'none') return null
  return (
    <NativeSelect
      label={t('link.forward')}
      data={FORWARD.map((choice) => ({ value: choice, label: t(`create.forward.${choice}`) }))}
      value={value}
      onChange={({ currentTarget }) =>
        change({ forward: FORWARD.find((choice) => choice === currentTarget.value) ?? 'none' })
      }
    />
  )
}

const FORWARD = ['none', 'utm', 'all'] as const

interface DuplicateProps {
  link: Result<'createLink'>
  close: () => void
  onAnother: () => void
}

/** The existing short URL of the destination, with a button to create another. */
function Duplicate({ link, close, onAnother }: DuplicateProps) {
  const { t } = useText()
  const url = shortUrl(link)
  return (
    <Alert
      variant="light"
      title={isMine(link) ? t('create.exists') : t('create.existsForeign', { owner: link.created_by })}
    >
      <Group gap="sm">
        <Group gap="xs" wrap="nowrap" maw="100%">
          <Anchor
            component={Link}
            href={`/links/${link.id}`}
            onClick={close}
            className="mono"
            underline="always"
            style={{ overflowWrap: 'anywhere' }}
          >
            {withoutScheme(url)}
          </Anchor>
          <Copy value={url} />
        </Group>
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          {t('links.createAnother')}
        </Button>
      </Group>
    </Alert>
  )
}
