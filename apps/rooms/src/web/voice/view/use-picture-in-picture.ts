import { useEffect, useState } from 'react'

/** API of browsers that open a window above all others for any content. */
interface DocumentPictureInPicture {
  requestWindow: (size: { width: number; height: number }) => Promise<Window>
}

const SIZE = { width: 360, height: 420 }

/** A small window above all others: with people where the browser can, else with one picture. */
export function usePictureInPicture() {
  const [opened, setOpened] = useState<Window | null>(null)
  useEffect(() => () => opened?.close(), [opened])
  const open = async (windows: DocumentPictureInPicture) => {
    const next = await windows.requestWindow(SIZE)
    copyStyles(next.document)
    next.addEventListener('pagehide', () => setOpened(null))
    setOpened(next)
  }
  const windows = (window as { documentPictureInPicture?: DocumentPictureInPicture }).documentPictureInPicture
  const toggle = () => {
    if (opened) opened.close()
    // The browser refuses it, perhaps by a policy.
    else void (windows ? open(windows) : togglePicture()).catch(() => {})
  }
  return { window: opened, toggle: windows || document.pictureInPictureEnabled ? toggle : undefined }
}

/** Shows a screen, or the person who speaks, in a window of its own; or closes it. */
async function togglePicture(): Promise<void> {
  if (document.pictureInPictureElement) return document.exitPictureInPicture()
  const featured = document.querySelector<HTMLVideoElement>('.call-screen video, [data-featured] video')
  const first = document.querySelector<HTMLVideoElement>('.call video')
  const video = featured ?? first
  // Browsers refuse one whose size they do not know yet.
  if (video?.readyState === HTMLMediaElement.HAVE_NOTHING)
    await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }))
  await video?.requestPictureInPicture()
}

/** Styles, scheme and language of this page. */
function copyStyles(target: Document): void {
  for (const { cssRules } of document.styleSheets) {
    const style = target.createElement('style')
    style.textContent = [...cssRules].map(({ cssText }) => cssText).join('\n')
    target.head.append(style)
  }
  const { lang, dataset } = document.documentElement
  target.documentElement.lang = lang
  target.documentElement.dataset['mantineColorScheme'] = dataset['mantineColorScheme'] ?? 'dark'
}
