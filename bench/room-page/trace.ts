import type { CDPSession } from 'playwright-core'

/** An event of Chromium's trace. Times are microseconds. */
interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  tdur?: number
  args: { name?: string; data?: { type?: string } }
}

/** A task of a thread: when it began, and the processor time that it took. Both in milliseconds. */
export interface Task {
  atMs: number
  cpuMs: number
}

export interface Recording {
  /** Tasks of the thread that runs the page, and of the thread that scrolls it. */
  page: Task[]
  compositor: Task[]
  /** When keys were pressed, in milliseconds. */
  keysMs: number[]
}

const CATEGORIES = '__metadata,devtools.timeline,disabled-by-default-devtools.timeline'

/** Records the tasks of a page while `act` runs. */
export async function record(devtools: CDPSession, act: () => Promise<void>): Promise<Recording> {
  const events: TraceEvent[] = []
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]))
  devtools.on('Tracing.dataCollected', collect)
  await devtools.send('Tracing.start', { categories: CATEGORIES, transferMode: 'ReportEvents' })
  await act()
  const ended = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
  await devtools.send('Tracing.end')
  await ended
  devtools.off('Tracing.dataCollected', collect)
  const keys = events.filter(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'keydown')
  return {
    page: tasksOf(events, 'CrRendererMain'),
    compositor: tasksOf(events, 'Compositor'),
    keysMs: keys.map(({ ts }) => ts / 1000),
  }
}

function tasksOf(events: readonly TraceEvent[], threadName: string): Task[] {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === threadName)
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return events
    .filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
    .map(({ ts, tdur = 0 }) => ({ atMs: ts / 1000, cpuMs: tdur / 1000 }))
}
