import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import type { Result } from '../call.ts'
import type { Subject } from './use-analytics.ts'
import type { ViewControls } from './use-view.ts'

export interface PanelProps extends Pick<ViewControls, 'view' | 'toggle'> {
  stats: Result<'getAnalytics'> | undefined
  subject: Subject | undefined
}

export interface DetailsProps extends PanelProps {
  dimension: ExplorerDimension
  onClose: () => void
}
