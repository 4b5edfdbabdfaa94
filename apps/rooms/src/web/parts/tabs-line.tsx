import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  'aria-label'?: string
  children: ReactNode
}

/** Tabs in one line. Where it is too narrow for all, it scrolls, from the current one. */
export function TabsLine(props: Props) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const current = line.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (line.current && current)
      line.current.scrollLeft = current.offsetLeft - (line.current.clientWidth - current.offsetWidth) / 2
  }, [])
  return <Tabs.List ref={line} className="tabs-line" {...props} />
}
