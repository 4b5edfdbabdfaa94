import type { TestRooms } from '../rooms.ts'

interface DeliveryOptions {
  method?: string
  headers?: Record<string, string>
  body?: BodyInit | null
  ip?: string
}

const URL_BY_ADDRESS = 'http://10.0.0.5:8081/api/auth/backchannel-logout'

/**
 * Delivers a logout token as a provider does: a form, sent by a server that uses the service's IP
 * address.
 */
export async function deliver(
  test: TestRooms,
  token: string,
  { method = 'POST', headers, body = new URLSearchParams({ logout_token: token }), ip }: DeliveryOptions = {},
): Promise<Response> {
  const request = new Request(URL_BY_ADDRESS, {
    method,
    headers: { host: '10.0.0.5:8081', ...headers },
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  })
  return test.rooms.fetch(request, {
    requestIP: () => ({ address: ip ?? '198.51.100.7', family: 'IPv4', port: 1 }),
  })
}
