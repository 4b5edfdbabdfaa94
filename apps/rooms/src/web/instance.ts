const { product, demo, visitor } = document.documentElement.dataset

/**
 * Name of the instance, whether it is a demo, and whether this browser had no session when it
 * requested the page. The server writes all of them into the page.
 */
export const instance = { product, isDemo: demo === 'true', isVisitor: visitor === 'true' }
