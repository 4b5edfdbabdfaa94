import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { csrfTokenOf } from '../../src/sessions/csrf.ts'
import { createRoom, member } from '../actions.ts'
import { hostileProvider } from '../provider/hostile.ts'
import { type Service, startService } from '../real/service.ts'
import { openRooms } from '../rooms.ts'

type Send = (path: string, init?: RequestInit) => Promise<Response>

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
  send: Send
  /** Sends a request as the page of another person, who may enter the room. */
  sendAsOther: Send
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
  const other = await member(rooms, 'Bo')
  const { id: roomId } = await createRoom(user)
  await rooms.close()
  await shared.idp.stop()
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
  const sendWith =
    (token: string): Send =>
    (path, init = {}) =>
      fetch(`${origin}${path}`, {
        ...init,
        headers: {
          cookie: `latchkey_session=${token}`,
          'x-csrf-token': csrfTokenOf(token),
          ...(init.headers as Record<string, string>),
        },
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
    send: sendWith(user.browser.token ?? ''),
    sendAsOther: sendWith(other.browser.token ?? ''),
    async close() {
      await started.service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return started
}

/** Sends a file to the room of the process. */
export function sendTo({ roomId }: RoomsProcess, send: Send, content: BlobPart): Promise<Response> {
  const body = new FormData()
  body.append('file', new Blob([content]), 'file')
  return send(`/api/rooms/${roomId}/files`, { method: 'POST', body })
}

/** Uploads a file to the room of the process. */
export async function uploadTo(rooms: RoomsProcess, content: BlobPart): Promise<{ url: string }> {
  const response = await sendTo(rooms, rooms.send, content)
  const { file } = (await response.json()) as { file: { url: string } }
  return file
}

export const canMeasureMemory = existsSync('/proc/self/clear_refs')

/** What an upload of so many bytes and its download add to the memory of the service, in bytes. */
export async function memoryOfTransfer(rooms: RoomsProcess, bytes: number): Promise<number> {
  const content = Buffer.alloc(bytes, 'x')
  const transfer = async () => {
    const { url } = await uploadTo(rooms, content)
    for await (const _ of (await rooms.send(url)).body ?? []);
  }
  const { pid } = rooms.service
  // The engine compiles the code, and takes memory that it then uses again.
  for (let count = 0; count < 4; count++) await transfer()
  const costs = []
  for (let count = 0; count < 5; count++) {
    // Resets the maximum of this process.
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const before = memoryOf(pid, 'VmRSS')
    await transfer()
    costs.push(memoryOf(pid, 'VmHWM') - before)
  }
  const [, , median = Infinity] = costs.toSorted((one, other) => one - other)
  return median
}

/** Ids of the processes that a process has started, with those that ended and were not yet collected. */
export function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.flatMap((task) => {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  })
}

/** Memory of a process in bytes, by its name in its status. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}
