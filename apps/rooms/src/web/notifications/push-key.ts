import { useCall } from '../queries.ts'
import { useSession } from '../session.ts'

/** Key of the instance for push services; undefined for guests, who have no push. */
export function usePushKey(): string | undefined {
  const { data: session } = useSession()
  const { data: config } = useCall('config', 'getConfig', {})
  return session?.user.identityType === 'oauth' ? config?.pushKey : undefined
}
