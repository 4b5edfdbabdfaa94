/** Of whoever looks: in it the days of charts begin. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
