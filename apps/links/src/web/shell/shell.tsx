import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Button,
  Center,
  Group,
  Loader,
  NavLink,
  Text,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { Fragment, Suspense, useEffect, useSyncExternalStore } from 'react'
import { Link, Router, useLocation } from 'wouter'
import { signIn } from '../call.ts'
import { detailPages, pages } from '../pages.ts'
import { Notice } from '../parts/notice.tsx'
import { followChanges } from '../queries.ts'
import { useText } from '../texts/text.ts'
import { Boundary } from './boundary.tsx'
import { PageHeading } from './heading.tsx'
import { Palette } from './palette.tsx'

export function Shell() {
  return (
    <Router base="/_/admin">
      <Frame />
    </Router>
  )
}

function Frame() {
  const { say } = useText()
  const [opened, { toggle, close }] = useDisclosure()
  useEffect(followChanges, [])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip" href="#content">
        {say('shell.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={say('nav.open')} />
            <img src="/favicon.svg" alt="" width={26} height={26} />
            <Text fw={650}>{say('app.name')}</Text>
          </Group>
          <ActionIcon variant="default" size="lg" onClick={spotlight.open} aria-label={say('shell.search')}>
            <IconSearch size={18} aria-hidden />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={say('nav.label')}>
        <Navigation onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Box maw={1160} mx="auto">
          <Stale />
          <CurrentPage />
        </Box>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

function Navigation({ onChoose }: { onChoose: () => void }) {
  const { say } = useText()
  const [path] = useLocation()
  return pages.map((page) => {
    const active = path === page.path || path.startsWith(`${page.path}/`)
    return (
      <NavLink
        key={page.path}
        component={Link}
        href={page.path}
        label={say(page.title)}
        leftSection={<page.icon size={18} stroke={1.6} aria-hidden />}
        active={active}
        aria-current={active ? 'page' : undefined}
        onClick={onChoose}
        style={{ borderRadius: 8 }}
      />
    )
  })
}

/** The page of the address. */
function CurrentPage() {
  const { say } = useText()
  const [path] = useLocation()
  const detail = detailPages.find(({ pattern }) => pattern.test(path))
  const page = pages.find((known) => known.path === path)
  return (
    <Fragment key={path}>
      {!detail && <PageHeading title={say(page?.title ?? 'page.notFound')} mb="lg" />}
      <Boundary>
        <Suspense fallback={<Center p="xl" children={<Loader size="sm" />} />}>
          {detail && <detail.show id={Number(detail.pattern.exec(path)?.[1])} />}
          {page && <page.show />}
          {!page && !detail && <NotFound />}
        </Suspense>
      </Boundary>
    </Fragment>
  )
}

function NotFound() {
  const { say } = useText()
  const action = (
    <Button component={Link} href="/dashboard">
      {say('page.toDashboard')}
    </Button>
  )
  return <Notice title={say('page.notFound')} help={say('page.notFoundHelp')} action={action} />
}

/** Shown while the last answer was a refusal of the person; the page below keeps what was typed. */
function Stale() {
  const { say } = useText()
  const stale = useSyncExternalStore((listener) => signIn.subscribe(listener), signIn.isOver)
  if (!stale) return null
  return (
    <Alert color="orange" title={say('shell.stale')} mb="lg" role="alert">
      {say('shell.staleHelp')}
    </Alert>
  )
}
