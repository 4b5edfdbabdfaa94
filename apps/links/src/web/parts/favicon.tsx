import { useCall } from '../queries.ts'
import { Initials } from './initials.tsx'

const SIZE = 18
/** Limit of the hosts in one request. */
const MAX_HOSTS = 100

/** URLs of links are valid. */
const hostOf = (url: string) => new URL(url).host

/** Reads the icons of destinations, all with one request. Returns that of a URL, if it is known. */
export function useFavicons(urls: readonly string[]): (url: string) => string | undefined {
  const hosts = [...new Set(urls.map((url) => hostOf(url)))].toSorted()
  const query = { hosts: hosts.slice(0, MAX_HOSTS).join(',') }
  const { data: reply } = useCall('favicons', 'listFavicons', { query }, hosts.length > 0)
  return (url) => reply?.body.icons[hostOf(url)]
}

/** The icon of a destination, or the initial of its host in a colour if it has none. */
export function Favicon({ src, url }: { src: string | undefined; url: string }) {
  if (src === undefined) return <Initials name={hostOf(url).replace(/^www\./, '')} isSquare />
  return <img className="favicon" src={src} alt="" width={SIZE} height={SIZE} />
}
