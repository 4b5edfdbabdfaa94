import type { Job } from './job.ts'

/** Keys of the texts for the result of a preview or import. */
export function resultTexts({ isPreview, state, report, rows }: Job) {
  const count = report?.imported ?? rows.filter(({ result }) => result === 'imported').length
  if (state === 'failed') {
    const title = isPreview ? 'transfer.previewFailed' : 'transfer.failed'
    return { title, help: isPreview || count === 0 ? undefined : 'transfer.stoppedHelp', count } as const
  }
  if (state === 'stopped') return { title: 'transfer.stopped', help: 'transfer.stoppedHelp', count } as const
  if (!isPreview) return { title: 'transfer.done', help: 'transfer.doneHelp', count } as const
  if (count === 0) return { title: 'transfer.nothing', help: 'transfer.nothingHelp', count } as const
  return { title: 'transfer.previewDone', help: 'transfer.previewHelp', count } as const
}
