const { product, demo } = document.documentElement.dataset

/** Name of the instance, and whether it is a demo. The server writes both into the page. */
export const instance = { product, isDemo: demo === 'true' }
