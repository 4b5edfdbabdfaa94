import { useRead } from '@latchkey/web/queries'
import { type Result, callForPage } from '../../call.ts'

async function readPages(cursor: string, signal: AbortSignal): Promise<Result<'listBundles'>> {
  // Their clicks are told in any case; those of a day cost least.
  const query = { range: '24h', cursor } as const
  const { body, next } = await callForPage('listBundles', { query }, { signal })
  return next === undefined ? body : [...body, ...(await readPages(next, signal))]
}

/** Every active bundle, to choose one by its name. */
export function useAllBundles() {
  return useRead(['bundles', 'listBundles', 'every'], (signal) => readPages('', signal))
}
