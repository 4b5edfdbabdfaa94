// bun apps/latchkey/test/restarts/run.ts [--restarts 20] [--kills 0] [--redirects 1000] [--people 200] [--messages 20]
// Restarts both services under load on the sockets of a supervisor, and compares what was answered with
// what is stored.
import { Database as SqliteFile } from 'bun:sqlite'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { Wire } from '@latchkey/http/testing-wire'
import { until } from '../../../rooms/test/until.ts'
import { type ChatTally, Chatters } from './chatters.ts'
import { Services } from './services.ts'
import { type VisitTally, Visitors } from './visitors.ts'

export interface RestartOptions {
  restarts: number
  /** How many of the restarts follow a SIGKILL. */
  kills: number
  /** Redirects a second. */
  redirects: number
  people: number
  /** Messages a second. */
  messages: number
  /** Milliseconds of load before and after each restart. */
  pauseMs: number
}

export interface RestartOutcome {
  visits: VisitTally
  chat: ChatTally
  /** Clicks that are counted at the end. */
  clicks: number
  /** Messages that are stored at the end. */
  messages: string[]
  faults: string[]
  /** Milliseconds from each signal to the end of its process. */
  stopMs: number[]
}

/** Restarts the services once all people are back from the restart before. */
export async function restartUnderLoad(options: RestartOptions): Promise<RestartOutcome> {
  const { services, people } = await Services.start(options.people)
  try {
    const visitors = new Visitors(services.links.port, `/${await createLink(services.links.port)}`)
    const chatters = new Chatters(services.rooms.port, people)
    await chatters.start(options.messages)
    visitors.start(options.redirects)
    const stopMs: number[] = []
    for (let count = 0; count < options.restarts; count++) {
      await Bun.sleep(options.pauseMs)
      const isKill = count >= options.restarts - options.kills
      stopMs.push(await services.restart(isKill ? 'SIGKILL' : 'SIGTERM'))
      await Bun.sleep(options.pauseMs)
      await until(() => chatters.hasReturned(count + 1))
    }
    const [visits, chat] = await Promise.all([visitors.stop(), chatters.stop()])
    await services.stop()
    return { visits, chat, ...readStored(services), faults: services.faults, stopMs }
  } finally {
    await services.remove()
  }
}

async function createLink(port: number): Promise<string> {
  const wire = await Wire.open(port)
  const body = { url: 'https://example.com/', slug: 'restarts' }
  const { status, text } = await wire.request('POST', '/_/admin/api/links', { body })
  wire.close()
  if (status !== 201) throw new Error(text)
  return body.slug
}

function readStored({ folder }: Services): { clicks: number; messages: string[] } {
  const links = new SqliteFile(`${folder}/links.db`, { readonly: true })
  const rooms = new SqliteFile(`${folder}/rooms.db`, { readonly: true })
  const [counted] = links.query<{ clicks: number }, []>('select count(*) as clicks from click').all()
  const stored = rooms.query<{ content: string }, []>('select content from room_messages').all()
  links.close()
  rooms.close()
  return { clicks: counted?.clicks ?? 0, messages: stored.map(({ content }) => content) }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}

function report({ visits, chat, clicks, messages, faults, stopMs }: RestartOutcome): string {
  const spread = (values: readonly number[]) =>
    `median ${percentile(values, 0.5)} ms, 99 % ${percentile(values, 0.99)} ms, longest ${percentile(values, 1)} ms`
  const rows: [string, string | number][] = [
    ['redirects', visits.redirected],
    ['refused or lost', visits.failures.length],
    ['sent again on another connection', visits.repeated],
    ['clicks counted', clicks],
    ['wait for a redirect', spread(visits.waits)],
    ['messages acknowledged', chat.acknowledged.length],
    ['messages refused or lost', chat.failures.length],
    [
      'acknowledged, but not stored once',
      chat.acknowledged.filter((text) => messages.filter((each) => each === text).length !== 1).length,
    ],
    ['sockets that ended', [...chat.closes].map(([code, count]) => `${count} (${code})`).join(', ')],
    ['socket back in its room after', spread(chat.absences)],
    ['end of a process', spread(stopMs)],
    ['faults', faults.length],
  ]
  const unexpected = [...new Set([...visits.failures, ...chat.failures, ...faults])].slice(0, 10)
  return [...rows.map(([name, value]) => `| ${name} | ${value} |`), ...unexpected].join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      restarts: { type: 'string', default: '20' },
      kills: { type: 'string', default: '0' },
      redirects: { type: 'string', default: '1000' },
      people: { type: 'string', default: '200' },
      messages: { type: 'string', default: '20' },
    },
  })
  const [cpu] = cpus()
  console.log(`${cpu?.model}, ${cpus().length} cores, Linux ${release()}, Bun ${Bun.version}`)
  console.log(
    report(
      await restartUnderLoad({
        restarts: Number(values.restarts),
        kills: Number(values.kills),
        redirects: Number(values.redirects),
        people: Number(values.people),
        messages: Number(values.messages),
        pauseMs: 1_500,
      }),
    ),
  )
  process.exit(0)
}
