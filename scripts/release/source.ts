import { run } from './run.ts'

/** The time of the last commit, which makes builds of one source identical. */
export async function timeOfSource(): Promise<Date> {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  return new Date(Number(epoch ?? (await run(['git', 'log', '-1', '--format=%ct']))) * 1000)
}

/** The last commit, or undefined outside a repository. */
export async function revisionOfSource(): Promise<string | undefined> {
  return run(['git', 'rev-parse', 'HEAD']).then(
    (revision) => revision.trim(),
    () => undefined,
  )
}
