/** Polls a condition until it is true. Throws after twenty seconds. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('The condition did not become true')
    await Bun.sleep(20)
  }
}
