// `npm run demo`: what Backhaul does, against a server of its own that is gone afterwards.
import { showContent } from './demo/content.ts'
import { showLinks } from './demo/links.ts'
import { say } from './demo/say.ts'
import { startDemoServer } from './demo/server.ts'

const start = performance.now()
await using server = await startDemoServer()
say(`Started Backhaul in ${((performance.now() - start) / 1000).toFixed(1)} s`)
await showLinks(server)
await showContent(server)
say(`All of it in ${((performance.now() - start) / 1000).toFixed(1)} s; cleaning up`)
