// LATCHKEY_TEST_POSTGRES=... bun bench/fanout/reconnect.ts [--seconds 600] [--clients 50]
//   [--writes 20] [--restart-every 45]
// Runs the harness of apps/rooms/test/realtime/reconnect.test.ts for any length of time.
import { cpus, loadavg, release } from 'node:os'
import { parseArgs } from 'node:util'
import { runReconnecting } from '../../apps/rooms/test/realtime/reconnect-harness.ts'
import { ownSchema } from './schema.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    clients: { type: 'string', default: '50' },
    writes: { type: 'string', default: '20' },
    'restart-every': { type: 'string', default: '45' },
  },
})
const schema = await ownSchema()
if (!schema) {
  console.error('LATCHKEY_TEST_POSTGRES names no server')
  process.exit(1)
}
const result = await runReconnecting({
  url: schema.url,
  seconds: Number(values.seconds),
  clients: Number(values.clients),
  writes: Number(values.writes),
  restartEverySeconds: Number(values['restart-every']),
})
await schema.drop()
const { faults, ...counts } = result
console.log(JSON.stringify({ ...values, ...counts, faults: faults.length }))
for (const fault of faults.slice(0, 20)) console.log(fault)
const load = loadavg().map((each) => each.toFixed(1))
console.log(
  `${cpus()[0]?.model} x ${cpus().length}, Linux ${release()}, Bun ${Bun.version}, load ${load.join(' ')}`,
)
process.exit(faults.length > 0 ? 1 : 0)
