import { preloadPage } from '@latchkey/web/pages'
import { startClient } from '@latchkey/web/start'
import './main.css'
import { detailPages as details, pages } from './pages.tsx'
import { Shell } from './shell/shell.tsx'
import { wording } from './texts/text.ts'

void startClient(<Shell />, wording, preloadPage(location.pathname, { pages, details }))
