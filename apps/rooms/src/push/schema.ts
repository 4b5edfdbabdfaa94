import { z } from 'zod'
import { Id } from '../wire.ts'

/** Bytes in base64url, without padding. */
function base64url(bytes: number) {
  const length = Math.ceil((bytes * 4) / 3)
  return z.string().regex(new RegExp(`^[\\w-]{${length}}$`), `must be ${bytes} bytes in base64url`)
}

export const PushSubscription = z
  .object({
    endpoint: z
      .url({ protocol: /^https$/ })
      .max(2048)
      .meta({ description: 'On a public host.' }),
    keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
  })
  .meta({ description: 'As `PushSubscription.toJSON()` returns it in a browser.' })

export const SubscriptionParams = z.object({ id: Id })
