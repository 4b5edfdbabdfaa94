/** Clicks always come from somebody: where no visitor is known, nobody has counted them, as of clicks that were imported. */
export function hasUnknownVisitors(stats: { total_clicks: number; unique_visitors: number }): boolean {
  return stats.total_clicks > 0 && stats.unique_visitors === 0
}
