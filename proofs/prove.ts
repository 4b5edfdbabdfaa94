// npm run prove [kill|outage|clocks|network|flood …] [-- --seed N] [--minutes M]
// Runs the fault harnesses of both services on this machine, and adds the results to docs/proofs.md.
import { parseArgs } from 'node:util'
import { Random } from '@latchkey/http/testing-random'
import { clockProofs } from './clocks.ts'
import { floodProofs } from './flood.ts'
import { killProofs } from './kill.ts'
import { networkProofs } from './network.ts'
import { outageProofs } from './outage.ts'
import { MissingProgram, type Outcome, type Proof } from './proof.ts'
import { type Result, appendResults, describeResult } from './report.ts'

const KINDS: Record<string, readonly Proof[]> = {
  kill: killProofs,
  outage: outageProofs,
  clocks: clockProofs,
  network: networkProofs,
  flood: floodProofs,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    /** The time for each kind. */
    minutes: { type: 'string', default: '5' },
  },
})
const { seed } = values
const minutes = Number(values.minutes)
const kinds = positionals.length > 0 ? positionals : Object.keys(KINDS)
const unknown = kinds.find((kind) => !Object.hasOwn(KINDS, kind))
if (unknown !== undefined || !(minutes > 0)) {
  console.error(`Usage: npm run prove [${Object.keys(KINDS).join('|')}] [-- --seed N] [--minutes M]`)
  process.exit(2)
}

console.log(`seed ${seed}`)
const results: Result[] = []
let isIncomplete = false
for (const kind of kinds) {
  const proofs = KINDS[kind] ?? []
  for (const { name, run } of proofs) {
    let deadline: number | undefined
    // The time begins once all servers run.
    const isOver = () =>
      performance.now() > (deadline ??= performance.now() + (minutes * 60_000) / proofs.length)
    const random = new Random(seed).fork(`${kind} ${name}`)
    const outcome = await run({ random, isOver }).catch((error: unknown): Outcome | undefined => {
      if (!(error instanceof MissingProgram))
        return { tried: {}, problems: [`The harness ended: ${Bun.inspect(error)}`] }
      console.error(`${kind}, ${name}: not run. ${error.message}`)
      return undefined
    })
    if (!outcome) {
      isIncomplete = true
      continue
    }
    const result = { kind, name, seed, minutes, ...outcome }
    results.push(result)
    console.log(describeResult(result))
    for (const problem of outcome.problems) console.log(`  ${problem}`)
  }
}
appendResults(results)
const failed = results.filter(({ problems }) => problems.length > 0)
if (failed.length > 0)
  console.log(`To replay: npm run prove ${failed[0]?.kind} -- --seed ${seed} --minutes ${minutes}`)
process.exit(failed.length > 0 ? 1 : isIncomplete ? 2 : 0)
