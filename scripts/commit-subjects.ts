// Commit subjects begin with their areas and have at most 65 characters (CONTRIBUTING.md).
const SINCE = '2e80266'
const MAX_LENGTH = 65
const SUBJECT = /^[a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)*: [a-z]/

/** Returns the subjects that break the rule. */
export function findBadSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => subject.length > MAX_LENGTH || !SUBJECT.test(subject))
}

if (import.meta.main) {
  const log = Bun.spawnSync(['git', 'log', '--no-merges', '--format=%s', `${SINCE}..HEAD`])
  // A source archive has no history and a shallow clone not all of it: nothing to check.
  const bad = log.success ? findBadSubjects(log.stdout.toString().trim().split('\n').filter(Boolean)) : []
  for (const subject of bad) console.log(`${subject.length} characters: ${subject}`)
  process.exit(bad.length > 0 ? 1 : 0)
}
