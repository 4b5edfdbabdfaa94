/**
 * True if the visitors of clicks are unknown, as for imported clicks. Clicks that the service
 * counted have at least one visitor.
 */
export function hasUnknownVisitors(stats: { total_clicks: number; unique_visitors: number }): boolean {
  return stats.total_clicks > 0 && stats.unique_visitors === 0
}
