import { startOwnPostgres } from './own-postgres.ts'
import { Server, makeKey, withKey } from './server.ts'
import { mkdtempSync } from 'node:fs'
const mode = process.argv[2] ?? 'write'
const pg = (await startOwnPostgres())!
const folder = mkdtempSync('/tmp/dbg-')
const s = await Server.start(folder, { environment: { LINKS_DATABASE_URL: pg.url } })
const headers = withKey(await makeKey(s))
console.log((await s.ask('POST', '/_/api/links', { headers, body: { url: 'https://example.com/p', slug: 'p' } })).status)
await s.ask('GET', '/p')
let run = true
let n = 0
const errors: Record<string, number> = {}
const loop = async (f: () => Promise<unknown>) => { while (run) { try { await f(); n++ } catch (e) { const k = String((e as Error).message); errors[k] = (errors[k] ?? 0) + 1; await Bun.sleep(5) } } }
const loops = mode === 'write'
  ? [1,2,3].map((i) => loop(() => s.ask('POST', '/_/api/links', { headers, body: { url: `https://example.com/${i}/${n}`, allow_duplicate: true } })))
  : [loop(() => s.ask('GET', '/p')), loop(() => s.ask('GET', '/p')), loop(() => s.ask('GET', '/_/api/links/1', { headers }))]
void s.ended().then((code) => console.log('SERVER ENDED', code, s.complaints))
for (let i = 0; i < 5; i++) { await Bun.sleep(400); await pg.kill(); await Bun.sleep(300); await pg.start() }
await Bun.sleep(2500)
run = false
const t = setTimeout(() => { console.log('loops hang', errors); }, 5000)
await Promise.race([Promise.all(loops), Bun.sleep(6000)])
clearTimeout(t)
console.log(n, errors, 'failing', await s.metric('latchkey_links_clicks_failing').catch(String), 'waiting', await s.metric('latchkey_links_click_batches_waiting').catch(String))
const to = setTimeout(() => console.log('get hangs'), 4000)
console.log(await Promise.race([s.ask('GET', '/_/api/links/1', { headers }).then((a) => a.text.slice(0, 200)).catch(String), Bun.sleep(5000).then(() => 'HANG')]))
clearTimeout(to)
console.log(s.faults.slice(0, 3).map((f) => JSON.stringify(f).slice(0, 300)))
await s.kill(); await pg.close(); process.exit(0)
