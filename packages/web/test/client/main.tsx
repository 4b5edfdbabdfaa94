import { Button, Group, Menu, Modal, Select, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type CallsOf, createCalls } from '@latchkey/web/call'
import type { DetailPage, Page } from '@latchkey/web/pages'
import { Copy } from '@latchkey/web/parts/copy'
import { useQueryString } from '@latchkey/web/query-string'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { PageHeading } from '@latchkey/web/shell/heading'
import { startClient } from '@latchkey/web/start'
import { type TextKey, useTexts } from '@latchkey/web/texts'
import shared from '@latchkey/web/texts/en/shared'
import sharedSwedish from '@latchkey/web/texts/sv/shared'
import { useState } from 'react'
import { Link, Router } from 'wouter'
import { IconHome } from '../../src/icons.ts'
import type { things } from './things.ts'

const en = {
  ...shared,
  'app.name': 'Things',
  'nav.home': 'All things',
  'nav.list': 'List',
  'login.title': 'Sign in',
  'page.toHome': 'To all things',
  'thing.parts_one': '{{count}} part of {{name}}',
  'thing.parts_other': '{{count}} parts of {{name}}',
  'error.name_taken': 'Another thing has this name.',
} as const
const sv = {
  ...en,
  ...sharedSwedish,
  'nav.home': 'Alla saker',
  'thing.parts_other': '{{count}} delar av {{name}}',
  'error.name_taken': 'En annan sak heter så.',
}

const useText = () => useTexts<TextKey<typeof en>>()

const { call } = createCalls<CallsOf<(typeof things)[number]>>({
  base: '/api',
  headers: () => ({ 'x-csrf-token': 'token' }),
})

function Thing({ id }: { id: string }) {
  const { t, failure } = useText()
  const [name, setName] = useState('')
  const rename = useMutation({ mutationFn: () => call('nameThing', { params: { id }, body: { name } }) })
  return (
    <>
      <PageHeading title={id} />
      <TextInput
        label="Name"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={rename.error && failure(rename.error)}
      />
      <Button color="red" loading={rename.isPending} onClick={() => rename.mutate()}>
        {t('confirm.cancel')}
      </Button>
      <p>{[1, 12_345].map((count) => t('thing.parts', { count, name: id })).join(', ')}</p>
      <Copy value={id} />
    </>
  )
}

/** The common parts of pages with a list: a search, pages, a menu and a dialog. */
function List() {
  const [{ q, page }, set] = useQueryString({ q: '', page: '1' })
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <TextInput
        aria-label="Search"
        placeholder="Search"
        value={q}
        onChange={({ currentTarget }) => set({ q: currentTarget.value, page: '1' }, { isTyping: true })}
      />
      <Select label="Size" data={['Small', 'Large']} comboboxProps={{ withinPortal: false }} />
      <Text>Page {page}</Text>
      <Button onClick={() => set({ page: `${Number(page) + 1}` })}>Next page</Button>
      <Group gap={0}>
        <Copy value="a-1" />
        <Copy value="a-2" />
        <Menu transitionProps={{ duration: 0 }}>
          <Menu.Target>
            <Button size="compact-sm">More</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setOpen(true)}>Rename</Menu.Item>
            <Menu.Item color="red">Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Rename"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <TextInput label="Name" data-autofocus />
      </Modal>
    </>
  )
}

function Broken(): never {
  throw new Error('Broken on purpose')
}

const home = { path: '/', title: 'nav.home', icon: IconHome, show: () => <Link href="/things/a-1">a-1</Link> }
const login = { path: '/login', title: 'login.title', show: () => <p>…</p> }
const broken = { path: '/broken', title: 'login.title', show: Broken }
const list = { path: '/list', title: 'nav.list', show: List }
const details: readonly DetailPage[] = [{ pattern: /^\/things\/([\w-]+)$/, show: (id) => <Thing id={id} /> }]

/** The pages of a signed-out person, if the address ends in `?out`. */
const pages: readonly Page[] = location.search === '?out' ? [login] : [home, login, list, broken]

void startClient(
  <Router>
    <Frame pages={pages}>
      <CurrentPage pages={pages} details={details} home={{ path: '/', words: 'page.toHome' }} />
    </Frame>
  </Router>,
  {
    texts: async (language) => ({ default: language === 'sv' ? sv : en }),
    failureKey: ({ code }) => code && `error.${code}`,
  },
)
