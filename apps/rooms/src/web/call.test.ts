import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// Operations that the client does not call: those for other programs and their sockets. The socket
// of a browser is authenticated by its cookie, and enters and leaves rooms with frames. Messages have
// the addresses of their files.
const others = [
  'getAuthConfig',
  'discover',
  'createWsTicket',
  'joinRoom',
  'leaveRoom',
  'readFile',
  'readPicture',
  'readThumbnail',
]

testCalls(operations, import.meta.dirname, others)
