import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// What other programs ask first, and their sockets: the socket of a browser has its cookie, and says itself where it comes in.
const others = ['getAuthConfig', 'discover', 'createWsTicket', 'joinRoom', 'leaveRoom']

testCalls(operations, import.meta.dirname, others)
