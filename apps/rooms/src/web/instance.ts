const { product, demo } = document.documentElement.dataset

/** What this instance is called and whether it is a demo; the server writes it into the page. */
export const instance = { product, isDemo: demo === 'true' }
