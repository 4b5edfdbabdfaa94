import { IconLink } from '@latchkey/web/icons'
import { useState } from 'react'
import { addressOf } from '../call.ts'

const SIZE = 18

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

/**
 * Address of the icon of each link's destination, by the id of the link. Links to one host share an
 * address, which the browser then loads once.
 */
export function faviconAddresses(links: readonly { id: number; url: string }[]): Map<number, string> {
  const ofHost = new Map<string, string>()
  const address = ({ id, url }: { id: number; url: string }) => {
    const host = hostOf(url)
    const own = `${addressOf('getLinkFavicon', { params: { id } })}?${new URLSearchParams({ host })}`
    const shared = ofHost.get(host) ?? own
    ofHost.set(host, shared)
    return shared
  }
  return new Map(links.map((link) => [link.id, address(link)]))
}

/** The icon of a destination, or a sign for a link if it has none. */
export function Favicon({ src }: { src: string | undefined }) {
  const [failed, setFailed] = useState('')
  if (src === undefined || failed === src)
    return (
      <span className="favicon" aria-hidden>
        <IconLink size={SIZE - 4} />
      </span>
    )
  return (
    <img
      className="favicon"
      src={src}
      alt=""
      width={SIZE}
      height={SIZE}
      loading="lazy"
      onError={() => setFailed(src)}
    />
  )
}
