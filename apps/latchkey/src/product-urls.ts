import type { Settings as LinksSettings } from '@latchkey/links/settings/settings'
import type { Settings as RoomsSettings } from '@latchkey/rooms/settings/settings'

type LinksAddress = Pick<LinksSettings, 'access' | 'baseUrl' | 'port' | 'roomsUrl'>
type RoomsAddress = Pick<RoomsSettings, 'allowedHosts' | 'linksUrl'>

/**
 * The origins at which two services that start together find each other's pages, for the product
 * switcher. The settings of the operator come first. Null if the people of one service cannot reach
 * the pages of the other, or if its port is not known yet. `demoPort` is that of the demo of Rooms.
 */
export function productUrls(
  links: LinksAddress,
  rooms: RoomsAddress | 'demo',
  demoPort: number,
): { linksUrl: string | null; roomsUrl: string | null } {
  if (rooms !== 'demo')
    return {
      // With access from this machine only, the admin side is out of reach for the people of Rooms.
      linksUrl: rooms.linksUrl ?? (links.access === 'loopback' ? null : links.baseUrl),
      roomsUrl: links.roomsUrl ?? rooms.allowedHosts[0],
    }
  return {
    linksUrl: links.access === 'loopback' ? localOrigin(links.port) : links.baseUrl,
    roomsUrl: links.roomsUrl ?? localOrigin(demoPort),
  }
}

/** Null for port 0, which means any free port. */
function localOrigin(port: number): string | null {
  return port === 0 ? null : `http://localhost:${port}`
}
