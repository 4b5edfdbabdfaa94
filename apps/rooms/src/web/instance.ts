const { product, demo, calls } = document.documentElement.dataset

/**
 * Name of the instance, whether it is a demo, and whether its rooms have calls. The server writes
 * them into the page.
 */
export const instance = { product, isDemo: demo === 'true', hasCalls: calls === 'true' }
