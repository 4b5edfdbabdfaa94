import { AppShell, Box, Burger, Group, NavLink, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { Page } from '../pages.ts'
import { useTexts } from '../texts.ts'
import { SignedOutNotice } from './signed-out-notice.tsx'

const PHONE = 'sm'

/**
 * The frame of every page: the skip link, the header with the app's name and `actions`, the
 * navigation, and the notice of an ended session, or `signedOut` in its place. If no page has an
 * icon, there is no navigation, and the page is as narrow as a form.
 */
export function Frame({
  pages,
  actions,
  signedOut = <SignedOutNotice />,
  children,
}: {
  pages: readonly Page[]
  actions?: ReactNode
  signedOut?: ReactNode
  children: ReactNode
}) {
  const { t } = useTexts<string>()
  const [opened, { toggle, close }] = useDisclosure()
  const listed = pages.filter(({ icon }) => icon !== undefined)
  const hasNavigation = listed.length > 0
  return (
    <AppShell
      header={{ height: 56 }}
      {...(hasNavigation && { navbar: { width: 232, breakpoint: PHONE, collapsed: { mobile: !opened } } })}
      padding={{ base: 'md', [PHONE]: 'xl' }}
    >
      <a className="skip" href="#content">
        {t('shell.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {hasNavigation && (
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom={PHONE}
                size="sm"
                aria-label={t(opened ? 'nav.close' : 'nav.open')}
                aria-expanded={opened}
                aria-controls="navigation"
              />
            )}
            <img src="/favicon.svg" alt="" width={26} height={26} />
            <Text fw={650} truncate>
              {t('app.name')}
            </Text>
          </Group>
          {actions}
        </Group>
      </AppShell.Header>
      {hasNavigation && (
        <AppShell.Navbar id="navigation" p="sm" mod={{ closed: !opened }} aria-label={t('nav.label')}>
          <Navigation pages={listed} onChoose={close} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
        <Box className="page" maw={hasNavigation ? 1160 : 480} mx="auto">
          {signedOut}
          {children}
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

function Navigation({ pages, onChoose }: { pages: readonly Page[]; onChoose: () => void }) {
  const { t } = useTexts<string>()
  const [path] = useLocation()
  return pages.map((page) => {
    const active = path === page.path || path.startsWith(`${page.above ?? page.path}/`)
    return (
      <NavLink
        key={page.path}
        component={Link}
        href={page.path}
        label={t(page.title)}
        leftSection={page.icon && <page.icon size={18} stroke={1.6} aria-hidden />}
        active={active}
        aria-current={active ? 'page' : undefined}
        onClick={onChoose}
        style={{ borderRadius: 8 }}
      />
    )
  })
}
