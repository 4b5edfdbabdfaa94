import { IconHome, IconShieldLock, IconUsers } from '@latchkey/web/icons'
import { lazyPage } from '@latchkey/web/lazy-page'
import type { DetailPage, Page } from '@latchkey/web/pages'
import { addTexts } from '@latchkey/web/texts'
import { INVITATION, ROOM } from './addresses.ts'
import { accountTexts } from './texts/account.ts'
import { adminTexts } from './texts/admin.ts'
import { loginTexts } from './texts/login.ts'
import { peopleTexts } from './texts/people.ts'
import type { TextKey } from './texts/text.ts'

const InvitationPage = lazyPage(() => import('./pages/invitation/page.tsx'))
const RoomPage = lazyPage(() => import('./pages/room/page.tsx'))

interface TitledPage extends Page {
  title: TextKey
  /** Page for administrators only. For other users it does not exist. */
  isForAdmins?: true
  /** Page that guests do not have. */
  isForMembers?: true
}

/** Pages with a fixed path. Those with an icon are in the navigation of signed-in users. */
export const pages: readonly TitledPage[] = [
  {
    path: '/',
    title: 'nav.lobby',
    icon: IconHome,
    show: lazyPage(() => import('./pages/lobby/page.tsx')),
  },
  {
    path: '/people',
    title: 'nav.people',
    icon: IconUsers,
    isForMembers: true,
    show: lazyPage(async () => {
      const [page] = await Promise.all([import('./pages/people/page.tsx'), addTexts(peopleTexts)])
      return page
    }),
  },
  {
    path: '/account',
    title: 'nav.account',
    show: lazyPage(async () => {
      const [page] = await Promise.all([import('./pages/account/page.tsx'), addTexts(accountTexts)])
      return page
    }),
  },
  {
    path: '/admin',
    title: 'nav.admin',
    icon: IconShieldLock,
    isForAdmins: true,
    show: lazyPage(async () => {
      const [page] = await Promise.all([import('./pages/admin/page.tsx'), addTexts(adminTexts)])
      return page
    }),
  },
  {
    path: '/login',
    title: 'login.title',
    hasOwnHeading: true,
    show: lazyPage(async () => {
      const [page] = await Promise.all([import('./pages/login/page.tsx'), addTexts(loginTexts)])
      return page
    }),
  },
]

export const detailPages: readonly DetailPage[] = [
  { pattern: ROOM, load: RoomPage.load, show: (id) => <RoomPage key={id} id={id} /> },
  {
    pattern: INVITATION,
    load: InvitationPage.load,
    show: (token) => <InvitationPage key={token} token={token} />,
  },
]
