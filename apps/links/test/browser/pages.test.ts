import { expect, test } from 'bun:test'
import { expectAccessible, shoot } from '@latchkey/web/testing/browser'
import { adminPages } from './browser.ts'

const admin = adminPages()
const PAGES = ['/dashboard', '/links', '/bundles', '/keys', '/import-export', '/settings', '/nowhere']

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    test(`every page is accessible, ${scheme} at ${width} px`, async () => {
      const look = async (path: string) => {
        const { page, errors } = await admin.open(path, { scheme, width })
        await page.waitForFunction(
          () => !document.querySelector('main .mantine-Loader-root, main .mantine-Skeleton-root'),
        )
        await shoot(page, `${path.slice(1)}-${scheme}-${width}`)
        await expectAccessible(page)
        // The page that there is none says it with its status too.
        expect([path, errors.filter((text) => path !== '/nowhere' || !text.includes('404'))]).toEqual([
          path,
          [],
        ])
        await page.context().close()
      }
      await Promise.all(PAGES.map(look))
    }, 60_000)
