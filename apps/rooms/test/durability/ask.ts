import type { Person } from '../../../../bench/fanout/people.ts'
import { type Answer, Wire } from '@latchkey/http/testing-wire'

/** Sends one request of this person on a connection of its own. Rejects with `NoAnswer`, or without a connection. */
export async function askOnce(
  port: number,
  { headers: { host = '', 'content-type': _, ...headers } }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const wire = await Wire.open(port)
  try {
    return await wire.request(method, path, { headers: { Host: host, ...headers }, body })
  } finally {
    wire.close()
  }
}
