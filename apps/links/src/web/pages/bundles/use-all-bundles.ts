import { useRead } from '@latchkey/web/queries'
import { type Result, callForPage } from '../../call.ts'

async function readPages(cursor: string, signal: AbortSignal): Promise<Result<'listBundles'>> {
  // The response always contains clicks. The shortest range is the cheapest.
  const query = { range: '24h', cursor } as const
  const { body, next } = await callForPage('listBundles', { query }, { signal })
  return next === undefined ? body : [...body, ...(await readPages(next, signal))]
}

/** All active bundles, for a list to choose from. */
export function useAllBundles(enabled = true) {
  return useRead(['bundles', 'listBundles', 'every'], (signal) => readPages('', signal), { enabled })
}
