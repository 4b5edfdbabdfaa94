import { Alert, Anchor, Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { type Input, type Result, call, fieldOfRefusal } from '../../call.ts'
import { useDraft } from '@latchkey/web/draft-storage'
import { Copy } from '@latchkey/web/parts/copy'
import { me } from '../../me.ts'
import { shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { invalidate } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { MAX_DATE_TIME, fromField } from '../link/moment.ts'

const EMPTY = { url: '', label: '', slug: '', expires: '' }

type Field = keyof typeof EMPTY

/** Error codes that are shown at a field. */
const FIELD_ERRORS = {
  url: ['url_required', 'url_invalid', 'url_too_long', 'url_malformed'],
  label: ['label_too_long', 'label_malformed'],
  slug: ['slug_required', 'slug_invalid', 'slug_too_long', 'slug_reserved', 'slug_taken'],
  expires: ['expires_at_invalid'],
} as const

function bodyOf({ url, label, slug, expires }: typeof EMPTY): Input<'createLink'>['body'] {
  return {
    url,
    ...(label && { label }),
    ...(slug && { slug }),
    ...(expires && { expires_at: fromField(expires) }),
  }
}

interface CreateRequest {
  body: Input<'createLink'>['body']
  /** The stored draft. Missing if the previous request is repeated to create a second link. */
  from?: string
}

/** Parses the stored draft. */
const parseDraft = (draft: string) => (draft === '' ? EMPTY : (JSON.parse(draft) as typeof EMPTY))

function useCreate(onCreated: (from: CreateRequest['from']) => void) {
  return useMutation({
    mutationFn: ({ body }: CreateRequest) => call('createLink', { body }),
    async onSuccess(_, { from }) {
      onCreated(from)
      await invalidate('links', 'totals')
    },
  })
}

/**
 * Form for a new link. The draft outlasts the page until the link is created. Text that was typed
 * after the request stays.
 */
export function CreateRow() {
  const { t, failure } = useText()
  const [draft, setDraft] = useDraft(me.identity, 'new-link')
  const values = parseDraft(draft)
  const create = useCreate((from) => setDraft((current) => (current === from ? '' : current)))
  const first = useFocusOnNew()
  const wrongField = fieldOfRefusal(create.error, FIELD_ERRORS)
  const field = (name: Field) => ({
    id: `new-${name}`,
    label: t(`links.${name}`),
    value: values[name],
    error: wrongField === name && failure(create.error),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setDraft((current) => JSON.stringify({ ...parseDraft(current), [name]: value })),
  })
  const { data, variables } = create
  return (
    <Paper
      withBorder
      p="md"
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) create.mutate({ body: bodyOf(values), from: draft })
      }}
    >
      <Group align="start" gap="sm">
        <TextInput
          {...field('url')}
          ref={first}
          required
          placeholder="https://"
          flex="3 1 260px"
          autoComplete="off"
        />
        <TextInput {...field('label')} flex="1 1 140px" autoComplete="off" />
        <TextInput {...field('slug')} flex="1 1 120px" autoComplete="off" autoCapitalize="off" />
        <TextInput {...field('expires')} type="datetime-local" max={MAX_DATE_TIME} flex="1 1 190px" />
        <Button type="submit" loading={create.isPending} mt={{ base: 0, xs: 25 }}>
          {t('links.create')}
        </Button>
      </Group>
      {create.error && wrongField === undefined && (
        <Alert color="red" mt="sm" role="alert">
          {failure(create.error)}
        </Alert>
      )}
      <div role="status">
        {data && (
          <CreatedLink
            link={data}
            onAnother={() => create.mutate({ body: { ...variables.body, allow_duplicate: true } })}
          />
        )}
      </div>
    </Paper>
  )
}

/**
 * Returns a ref for the field that `?new` in the address focuses. The command palette uses `?new`.
 */
function useFocusOnNew() {
  const field = useRef<HTMLInputElement>(null)
  const isNew = new URLSearchParams(useSearch()).has('new')
  const [path, go] = useLocation()
  useEffect(() => {
    if (!isNew) return
    field.current?.focus()
    go(path, { replace: true })
  }, [isNew, path, go])
  return field
}

/** The new short URL, or the existing one for the same URL with a button to create another. */
function CreatedLink({ link, onAnother }: { link: Result<'createLink'>; onAnother: () => void }) {
  const { t } = useText()
  const url = shortUrl(link)
  return (
    <Group gap="sm" mt="md">
      <Text size="sm">{t(link.duplicate ? 'links.exists' : 'links.created')}</Text>
      <Group gap={4} wrap="nowrap" maw="100%">
        <Anchor component={Link} href={`/links/${link.id}`} fw={600} truncate>
          {withoutScheme(url)}
        </Anchor>
        <Copy value={url} />
      </Group>
      {link.duplicate && (
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          {t('links.createAnother')}
        </Button>
      )}
    </Group>
  )
}
