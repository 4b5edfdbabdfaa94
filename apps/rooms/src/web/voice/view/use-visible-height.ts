import { useEffect, useState } from 'react'

/** Pixels that a keyboard on the screen takes at least. Bars of the browser take less. */
const MIN_KEYBOARD = 100

/**
 * Height of what is visible of the window. Where the browser lays out the page behind a keyboard on
 * the screen, as Safari does, the page becomes as high as what is visible (call.css).
 */
export function useVisibleHeight(): number {
  const [height, setHeight] = useState(visibleHeight)
  useEffect(() => {
    const measure = () => setHeight(visibleHeight())
    const sources = [window, visualViewport ?? window]
    for (const source of sources) source.addEventListener('resize', measure)
    return () => {
      for (const source of sources) source.removeEventListener('resize', measure)
    }
  }, [])
  const isCovered = height < innerHeight
  useEffect(() => {
    if (!isCovered) return undefined
    const { style } = document.documentElement
    style.setProperty('--window-height', `${height}px`)
    // The browser has moved the page so that the field is above the keyboard.
    scrollTo(0, 0)
    return () => void style.removeProperty('--window-height')
  }, [isCovered, height])
  return height
}

function visibleHeight(): number {
  // Fingers that magnify the page cover none of it.
  const height = visualViewport?.scale === 1 ? visualViewport.height : innerHeight
  return height < innerHeight - MIN_KEYBOARD ? Math.round(height) : innerHeight
}
