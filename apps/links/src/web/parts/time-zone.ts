/** Time zone of the browser, in which the days of charts begin. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
