const { identity = '', origin = location.origin } = document.documentElement.dataset

/** Who looks at the pages, and the origin of the short links; the server writes both into the page. */
export const me = { identity, origin }
