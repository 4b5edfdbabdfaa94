// Starts Rooms from its settings.
import { startRooms } from '../../apps/rooms/src/main.ts'
import { readSettings } from '../../apps/rooms/src/settings/settings.ts'

await startRooms(readSettings(process.env))
