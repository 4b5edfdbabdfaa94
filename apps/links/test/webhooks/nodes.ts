import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { createLog } from '@latchkey/http/log'
import { migrations } from '../../src/db/migrations.ts'
import type { Tables } from '../../src/db/tables.ts'
import type { EventType } from '../../src/events/types.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { Poster } from '../../src/webhooks/post.ts'
import { createSecret } from '../../src/webhooks/secret.ts'
import { Sender } from '../../src/webhooks/sender.ts'
import { createEventSource } from '../../src/webhooks/source.ts'
import { type DeliveryRow, type WebhookRow, insertWebhook, listDeliveries } from '../../src/webhooks/store.ts'
import { Receiver } from './receiver.ts'

/** Nodes that deliver from one database, whose clock stands still until it is advanced. */
export class TestNodes {
  now = 1_795_000_000
  readonly database: Database<Tables>
  readonly log: Record<string, unknown>[] = []
  readonly #url: string
  readonly #opened: { close(): Promise<void> }[] = []

  private constructor(url: string) {
    this.#url = url
    this.database = openDatabase<Tables>(url)
  }

  static async open(url: string): Promise<TestNodes> {
    const nodes = new TestNodes(url)
    await migrate(nodes.database, migrations)
    return nodes
  }

  get sender(): Sender {
    const resolve = async (host: string) => (host === 'private.test' ? ['10.1.2.3'] : ['127.0.0.1'])
    return new Sender({
      poster: new Poster({ allowed: ['127.0.0.1'], timeoutMs: 2_000, resolve }),
      instanceSecret: 'of all nodes',
      userAgent: 'test',
      now: () => this.now,
    })
  }

  /** A node that delivers only when it polls. */
  node(): Dispatcher {
    const database = openDatabase<Tables>(this.#url)
    const dispatcher = new Dispatcher({
      database,
      source: createEventSource(database),
      sender: this.sender,
      log: createLog({ write: (line) => void this.log.push(JSON.parse(line) as Record<string, unknown>) }),
      now: () => this.now,
      random: () => 0,
    })
    this.#opened.unshift(dispatcher, database)
    return dispatcher
  }

  receiver(): Receiver {
    const receiver = new Receiver()
    this.#opened.push({ close: () => receiver.stop() })
    return receiver
  }

  /** Creates a webhook, and gives its secret to the receiver. */
  async webhook(
    receiver: Pick<Receiver, 'url'> & { secrets?: string[] },
    { types = [], owner = 'ann' }: { types?: string[]; owner?: string } = {},
  ): Promise<number> {
    const secret = createSecret()
    receiver.secrets?.push(secret)
    const { id } = await this.database.write((tx) =>
      insertWebhook(tx, {
        url: receiver.url,
        types: JSON.stringify(types),
        created_by: owner,
        created_at: this.now,
        updated_at: this.now,
        secret: this.sender.seal(secret),
        position: 0,
      }),
    )
    return id
  }

  async addEvents(count: number, type: EventType = 'link.created'): Promise<void> {
    const rows = Array.from({ length: count }, () => ({ type, at: this.now, data: '{}' }))
    await this.database.write((tx) => tx.insertInto('event').values(rows).execute())
  }

  read(id: number): Promise<WebhookRow> {
    return this.database.read.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  deliveries(id: number): Promise<DeliveryRow[]> {
    return listDeliveries(this.database.read, id, 100)
  }

  async close(): Promise<void> {
    for (const each of this.#opened.splice(0)) await each.close()
    await this.database.close()
  }
}
