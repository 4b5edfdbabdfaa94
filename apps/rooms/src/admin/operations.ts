import { defaultRoomOperations } from './default-rooms.ts'
import { instanceOperations } from './instance.ts'
import { userSessionOperations } from './sessions.ts'
import { userOperations } from './users.ts'

export const adminOperations = [
  ...userOperations,
  ...userSessionOperations,
  ...defaultRoomOperations,
  ...instanceOperations,
]
