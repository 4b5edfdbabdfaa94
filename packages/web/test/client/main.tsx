import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type CallsOf, createCalls } from '@latchkey/web/call'
import type { DetailPage, Page } from '@latchkey/web/pages'
import { Copy } from '@latchkey/web/parts/copy'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { PageHeading } from '@latchkey/web/shell/heading'
import { startClient } from '@latchkey/web/start'
import { type TextKey, useTexts } from '@latchkey/web/texts'
import { IconHome } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, Router } from 'wouter'
import type { things } from './things.ts'

const en = {
  'app.name': 'Things',
  'nav.home': 'All things',
  'login.title': 'Sign in',
  'page.toHome': 'To all things',
  'thing.parts_one': '{{count}} part of {{name}}',
  'thing.parts_other': '{{count}} parts of {{name}}',
  'error.name_taken': 'Another thing has this name.',
} as const
const sv = {
  ...en,
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
  const { say, failure } = useText()
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
      <Button color="red" onClick={() => rename.mutate()}>
        {say('confirm.cancel')}
      </Button>
      <p>{[1, 12_345].map((count) => say('thing.parts', { count, name: id })).join(', ')}</p>
      <Copy value={id} />
    </>
  )
}

function Broken(): never {
  throw new Error('Broken on purpose')
}

const home = { path: '/', title: 'nav.home', icon: IconHome, show: () => <Link href="/things/a-1">a-1</Link> }
const login = { path: '/login', title: 'login.title', show: () => <p>…</p> }
const broken = { path: '/broken', title: 'login.title', show: Broken }
const details: readonly DetailPage[] = [{ pattern: /^\/things\/([\w-]+)$/, show: (id) => <Thing id={id} /> }]

/** As for who is not signed in, where the address ends in `?out`. */
const pages: readonly Page[] = location.search === '?out' ? [login] : [home, login, broken]

await startClient(
  <Router>
    <Frame pages={pages}>
      <CurrentPage pages={pages} details={details} home={{ path: '/', words: 'page.toHome' }} />
    </Frame>
  </Router>,
  { texts: { en, sv, id: en }, failureKey: ({ code }) => code && `error.${code}` },
)
