import { readFileSync, rmSync } from 'node:fs'

/** Reads the JUnit report of the run. Undefined if the runner ended before it wrote one. */
export function readReport(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  } finally {
    rmSync(path, { force: true })
  }
}

export function countTests(xml: string | undefined): { tests: number; failures: number; skipped: number } {
  if (xml === undefined) return { tests: 0, failures: 1, skipped: 0 }
  const root = /<testsuites[^>]*>/.exec(xml)?.[0] ?? ''
  const count = (name: string) => Number(attribute(root, name) ?? 0)
  return { tests: count('tests'), failures: count('failures'), skipped: count('skipped') }
}

/** Prints the slowest tests, the first candidates when the run takes too long. */
export function printSlowest(xml = ''): void {
  const durations = [...xml.matchAll(/<testcase [^>]*>/g)].map(([tag]) => ({
    seconds: Number(attribute(tag, 'time')),
    location: `${attribute(tag, 'file')}:${attribute(tag, 'line')}`,
  }))
  const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, 20)
  console.log('\nSlowest tests:')
  for (const { seconds, location } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${location}`)
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
}
