import { type Input, call } from '../../call.ts'
import { invalidate } from '../../queries.ts'

export async function updateLink(id: number, body: Input<'updateLink'>['body']): Promise<void> {
  await call('updateLink', { params: { id }, body })
  await invalidate('links')
}
