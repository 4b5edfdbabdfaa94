import { Stack } from '@mantine/core'
import { IconHome, IconTable } from '@latchkey/web/icons'
import { AppearanceMenu } from '@latchkey/web/parts/appearance-menu'
import { CurrentPage } from '@latchkey/web/shell/current-page'
import { Frame } from '@latchkey/web/shell/frame'
import { startClient } from '@latchkey/web/start'
import { sharedTexts } from '@latchkey/web/texts/shared'
import { Router } from 'wouter'
import { Brands } from './brands.tsx'
import { Controls } from './controls.tsx'
import { Dialogs } from './dialogs.tsx'
import { States } from './states.tsx'
import { Tables } from './tables.tsx'
import { Colours, Sizes, Type } from './tokens.tsx'

const own = {
  'app.name': 'Latchkey Gallery',
  'nav.all': 'All parts',
  'nav.broken': 'A page that fails',
  'page.toAll': 'Go to all parts',
}

function AllParts() {
  return (
    <Stack gap="lg">
      <Brands />
      <Type />
      <Sizes />
      <Colours />
      <Controls />
      <Dialogs />
      <Tables />
      <States />
    </Stack>
  )
}

function Broken(): never {
  throw new Error('Broken on purpose')
}

const pages = [
  { path: '/', title: 'nav.all', icon: IconHome, show: AllParts },
  { path: '/broken', title: 'nav.broken', icon: IconTable, show: Broken },
]

void startClient(
  <Router>
    <Frame pages={pages} actions={<AppearanceMenu />}>
      <CurrentPage pages={pages} details={[]} home={{ path: '/', words: 'page.toAll' }} />
    </Frame>
  </Router>,
  {
    texts: async (language) => ({ default: { ...(await sharedTexts(language)).default, ...own } }),
    failureKey: () => undefined,
  },
)
