import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { csrfTokenOf } from '../../src/sessions/csrf.ts'
import { createRoom, member } from '../actions.ts'
import { hostileProvider } from '../provider/hostile.ts'
import { type Service, startService } from '../real/service.ts'
import { openRooms } from '../rooms.ts'

/** `latchkey rooms` as a process, with a user who has signed in and owns a room. */
export interface RoomsProcess {
  folder: string
  files: string
  databaseUrl: string
  roomId: string
  service: Service
  /** Starts it again, after `service` was killed. */
  restart(): Promise<void>
  /** Sends a request as the page of the user would. */
  send(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export async function startProcess(settings: Record<string, string> = {}): Promise<RoomsProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
  const databaseUrl = `sqlite:${join(folder, 'rooms.db')}`
  const files = join(folder, 'files')
  const now = () => Date.now()
  const shared = { idp: await hostileProvider({ now }), clock: { ms: now() }, logLines: [] }
  const rooms = await openRooms({ url: databaseUrl, shared })
  const user = await member(rooms)
  const { id: roomId } = await createRoom(user)
  await rooms.close()
  await shared.idp.stop()
  const token = user.browser.token ?? ''
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const start = () =>
    startService({
      AUTH_PROVIDER: 'oauth2',
      AUTH_CLIENT_ID: 'rooms',
      OAUTH_AUTHORIZATION_ENDPOINT: 'http://127.0.0.1:9/authorize',
      OAUTH_TOKEN_ENDPOINT: 'http://127.0.0.1:9/token',
      OAUTH_USERINFO_ENDPOINT: 'http://127.0.0.1:9/user',
      OAUTH_SUBJECT_PATH: 'id',
      OAUTH_NAME_PATH: 'name',
      ALLOWED_HOSTS: origin,
      ROOMS_PORT: String(port),
      ROOMS_DATABASE_URL: databaseUrl,
      ROOMS_FILES: files,
      ...settings,
    })
  const started: RoomsProcess = {
    folder,
    files,
    databaseUrl,
    roomId,
    service: await start(),
    async restart() {
      started.service = await start()
    },
    send: (path, init = {}) =>
      fetch(`${origin}${path}`, {
        ...init,
        headers: {
          cookie: `latchkey_session=${token}`,
          'x-csrf-token': csrfTokenOf(token),
          ...(init.headers as Record<string, string>),
        },
      }),
    async close() {
      await started.service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return started
}
