import { Box, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { Page } from '../pages.ts'
import { useTexts } from '../texts.ts'
import { Brand } from './brand.tsx'
import { PageTooltip } from './page-tooltip.tsx'
import { SignedOutNotice } from './signed-out-notice.tsx'

const PHONE = 'sm'

/** Marks beside the titles of pages in the navigation, by path, such as a number. */
type Badges = Readonly<Record<string, ReactNode>>

interface FrameProps {
  pages: readonly Page[]
  badges?: Badges
  /** On the button of the menu, which a phone has in place of the navigation. */
  menuMark?: ReactNode
  search?: ReactNode
  actions?: ReactNode
  /** Further links below those of the pages, such as a list of items. They scroll. */
  subnavigation?: ReactNode
  footer?: ReactNode
  signedOut?: ReactNode
  /** True for a page that fills the window below the header, without a margin. */
  fillsWindow?: boolean
  children: ReactNode
}

/**
 * The frame of every page: the skip link, the header with the brand, `search` and `actions`, the
 * navigation with `footer` at its end, and the notice of an ended session, or `signedOut` in its
 * place. If no page has an icon, there is no navigation, and the page is as narrow as a form.
 */
export function Frame({
  pages,
  badges = {},
  menuMark,
  search,
  actions,
  subnavigation,
  footer,
  signedOut = <SignedOutNotice />,
  fillsWindow = false,
  children,
}: FrameProps) {
  const { t } = useTexts<string>()
  const [opened, { toggle, close }] = useDisclosure()
  const listed = pages.filter(({ icon }) => icon !== undefined)
  const hasNavigation = listed.length > 0
  return (
    <Box className="frame" mod={{ navigation: hasNavigation, fills: fillsWindow }}>
      <a className="skip" href="#content">
        {t('shell.skip')}
      </a>
      <header className="frame-header">
        <Group gap="sm" wrap="nowrap" className="frame-brand" mod={{ narrow: !hasNavigation }}>
          {hasNavigation && <MenuButton isOpen={opened} onClick={toggle} mark={menuMark} />}
          <Brand />
        </Group>
        <Group gap="sm" wrap="nowrap" className="frame-tools">
          <div className="frame-search">{search}</div>
          {actions}
        </Group>
      </header>
      {hasNavigation && (
        <Box
          component="nav"
          id="navigation"
          className="frame-navigation"
          mod={{ closed: !opened }}
          aria-label={t('nav.label')}
        >
          <Navigation pages={listed} badges={badges} onChoose={close} />
          {subnavigation !== undefined && (
            // A link in it leads to another page, which closes the menu.
            <div className="frame-subnavigation" onClick={close}>
              {subnavigation}
            </div>
          )}
          {footer !== undefined && <div className="frame-footer">{footer}</div>}
        </Box>
      )}
      <main id="content" className="frame-content" tabIndex={-1}>
        <Box className="page" {...(!fillsWindow && { maw: hasNavigation ? 1200 : 480, mx: 'auto' })}>
          {signedOut}
          {children}
        </Box>
        <PageTooltip />
      </main>
    </Box>
  )
}

interface MenuButtonProps {
  isOpen: boolean
  onClick: () => void
  mark: ReactNode
}

function MenuButton({ isOpen, onClick, mark }: MenuButtonProps) {
  const { t } = useTexts()
  return (
    <Box className="frame-menu" hiddenFrom={PHONE}>
      <Burger
        opened={isOpen}
        onClick={onClick}
        size="sm"
        aria-label={t(isOpen ? 'nav.close' : 'nav.open')}
        aria-expanded={isOpen}
        aria-controls="navigation"
      />
      {!isOpen && mark}
    </Box>
  )
}

interface NavigationProps {
  pages: readonly Page[]
  badges: Badges
  onChoose: () => void
}

function Navigation({ pages, badges, onChoose }: NavigationProps) {
  const { t } = useTexts<string>()
  const [path] = useLocation()
  return pages.map((page) => {
    const active = path === page.path || path.startsWith(`${page.above ?? page.path}/`)
    return (
      <Link
        key={page.path}
        href={page.path}
        className="frame-link"
        aria-current={active ? 'page' : undefined}
        onClick={onChoose}
      >
        {page.icon && <page.icon size={17} stroke={1.7} aria-hidden />}
        <span className="frame-link-title">{t(page.title)}</span>
        {badges[page.path]}
      </Link>
    )
  })
}
