import { type Finding, fail, ok } from '@latchkey/doctor/finding'
import type { Answers } from './answers.ts'
import { servesAt } from './checks.ts'
import { portOf } from './plan.ts'

/** As long as a start with migrations of a small database takes on a slow machine, and more. */
const START_WITHIN_MS = 60_000
const ASK_EVERY_MS = 100

/** Runs the commands that start the services, and waits until both answer. Ends at the first fault. */
export async function* startServices(
  answers: Answers,
  commands: readonly (readonly string[])[],
): AsyncGenerator<Finding> {
  for (const command of commands) {
    const { exitCode, stderr } = Bun.spawnSync([...command], { stdin: 'ignore' })
    if (exitCode !== 0) {
      yield fail('start', `${command.join(' ')}: ${stderr.toString().trim() || `exit code ${exitCode}`}`)
      return
    }
  }
  const deadlineMs = performance.now() + START_WITHIN_MS
  for (const service of ['links', 'rooms'] as const) {
    const origin = `http://127.0.0.1:${portOf(answers, service)}`
    let isServed = await servesAt(service, origin)
    while (!isServed && performance.now() < deadlineMs) {
      await Bun.sleep(ASK_EVERY_MS)
      isServed = await servesAt(service, origin)
    }
    yield isServed
      ? ok('start', `${service} runs`)
      : fail('start', `${service} does not answer: journalctl -u latchkey-${service} says why`)
  }
}
