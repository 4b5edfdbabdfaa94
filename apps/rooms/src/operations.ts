import type { AnyOperation } from '@latchkey/http/operation'
import { accountOperations } from './account/operations.ts'
import { adminOperations } from './admin/operations.ts'
import type { PublicContext } from './api/context.ts'
import { draftOperations } from './drafts/operations.ts'
import { fileOperations } from './files/operations.ts'
import { guestOperations } from './guests/operations.ts'
import { invitationOperations } from './invitations/operations.ts'
import { memberOperations } from './members/operations.ts'
import { messageOperations } from './messages/operations.ts'
import { searchOperations } from './messages/search/operations.ts'
import { groupOperations } from './members/groups/operations.ts'
import { moderationOperations } from './members/moderation/operations.ts'
import { ownershipOperations } from './members/ownership/operations.ts'
import { blockOperations } from './people/blocks/operations.ts'
import { peopleOperations } from './people/operations.ts'
import { profileOperations } from './people/profile-operations.ts'
import { platformOperations } from './platform/operations.ts'
import { directOperations } from './directs/operations.ts'
import { roomOperations } from './lobby/operations.ts'
import { notificationOperations } from './notifications/operations.ts'
import { pushOperations } from './notifications/push/operations.ts'
import { unreadOperations } from './unread/operations.ts'
import { sessionOperations } from './sessions/operations.ts'
import { ticketOperations } from './sessions/ticket-operations.ts'
import { callOperations } from './voice/operations.ts'

/** Everything that the API can do, in the order of its document. */
export const apiOperations: readonly AnyOperation<PublicContext>[] = [
  ...platformOperations,
  ...guestOperations,
  ...sessionOperations,
  ...ticketOperations,
  ...accountOperations,
  ...peopleOperations,
  ...profileOperations,
  ...blockOperations,
  ...roomOperations,
  ...directOperations,
  ...unreadOperations,
  ...notificationOperations,
  ...pushOperations,
  ...messageOperations,
  ...draftOperations,
  ...searchOperations,
  ...fileOperations,
  ...memberOperations,
  ...groupOperations,
  ...moderationOperations,
  ...invitationOperations,
  ...ownershipOperations,
  ...callOperations,
  ...adminOperations,
]
