import { Button, Menu, Popover, Stack, TextInput } from '@mantine/core'
import { IconBookmark, IconTrash } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Result, call } from '../../call.ts'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { DEFAULT_VIEW, type View } from './view.ts'

type ListView = Result<'getSettings'>['list_views'][number]

/** The query string of a view, without the page. */
function queryStringOf(view: View): string {
  const names = Object.keys(DEFAULT_VIEW) as (keyof View)[]
  const changed = names.filter((name) => name !== 'page' && view[name] !== DEFAULT_VIEW[name])
  return String(new URLSearchParams(changed.map((name) => [name, view[name]])))
}

const viewOf = (query: string): View => ({
  ...DEFAULT_VIEW,
  ...Object.fromEntries(new URLSearchParams(query)),
})

interface Props {
  view: View
  setView: (view: View) => void
}

/** Views of the list that the user has saved: filters, order and range, by name. */
export function SavedViews({ view, setView }: Props) {
  const { t, failure } = useText()
  const [isNaming, setNaming] = useState(false)
  const { data } = useCall('settings', 'getSettings', {})
  const save = useMutation({
    mutationFn: (list_views: ListView[]) => call('updateSettings', { body: { list_views } }),
    onError: (error) => showError(failure(error), t('shell.close')),
    onSettled: () => invalidate('settings'),
  })
  const views = data?.body.list_views ?? []
  const query = queryStringOf(view)
  return (
    <Popover opened={isNaming} onChange={setNaming} trapFocus position="bottom-start" withinPortal>
      <Menu position="bottom-start" width={240}>
        <Popover.Target>
          <Menu.Target>
            <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
              {views.find((saved) => saved.query === query)?.name ?? t('views.views')}
            </Button>
          </Menu.Target>
        </Popover.Target>
        <Menu.Dropdown className="filter-menu">
          {views.map((saved) => (
            <Menu.Item key={saved.name} onClick={() => setView(viewOf(saved.query))}>
              <bdi>{saved.name}</bdi>
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>{t('views.save')}</Menu.Item>
          {views
            .filter((saved) => saved.query === query)
            .map(({ name }) => (
              <Menu.Item
                key={name}
                color="red"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => save.mutate(views.filter((saved) => saved.name !== name))}
              >
                {t('views.remove', { name })}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Popover.Dropdown>
        <NameForm
          onSave={(name) => {
            setNaming(false)
            save.mutate([...views.filter((saved) => saved.name !== name), { name, query }])
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

const MAX_NAME = 60

function NameForm({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useText()
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') onSave(name.trim())
  }
  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <TextInput
        label={t('views.name')}
        maxLength={MAX_NAME}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        {t('views.save')}
      </Button>
    </Stack>
  )
}
