import { Title, type TitleProps } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useTexts } from '../texts.ts'
import { setPageTitle } from '../page-title.ts'

let isFirstPage = true

/**
 * The heading and title of a page. It takes the focus when the address changes, which makes screen
 * readers read it out.
 */
export function PageHeading({ title, ...props }: { title: string } & Omit<TitleProps, 'title'>) {
  const { t } = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setPageTitle(`${title} · ${t('app.name')}`)
  })
  // Before what else the page gives the focus to, such as the field of a room.
  useLayoutEffect(() => {
    if (!isFirstPage) heading.current?.focus()
    isFirstPage = false
  }, [])
  return (
    <Title order={1} tabIndex={-1} ref={heading} {...props}>
      {title}
    </Title>
  )
}
