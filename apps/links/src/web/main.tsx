import { browserTimeZone } from '@latchkey/web/formats'
import { preloadPage } from '@latchkey/web/pages'
import { startClient } from '@latchkey/web/start'
import './main.css'
import { detailPages as details, pages } from './pages.tsx'
import { BASE, Shell } from './shell/shell.tsx'
import { wording } from './texts/text.ts'

// With the cookie, the next page comes with its statistics (TIME_ZONE_COOKIE of http/pages.ts).
document.cookie = `time_zone=${encodeURIComponent(browserTimeZone)}; path=${BASE}; max-age=31536000; samesite=strict`

const path = location.pathname.slice(BASE.length)
void startClient(<Shell />, wording, preloadPage(path, { pages, details }))
