/** Loaded with the first image: the library takes 20 MB of memory. */
export async function loadSharp(): Promise<typeof import('sharp').default> {
  return (await import('sharp')).default
}
