import { Readable } from 'node:stream'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { RawReply } from '../../platform/http/raw-reply.ts'
import type { Presenters } from '../events/announcer.ts'
import { availableFilters } from '../filters/index.ts'
import { linkEndpoints as endpoints } from './link-contract.ts'
import { presentStatistics } from './link-presenter.ts'
import type { LinkAddress, LinkService } from './link-service.ts'
import type { Link } from './link-store.ts'

export function linkRoutes(links: LinkService, { link: present }: Presenters): Route[] {
  return [
    route(endpoints.list, async ({ actor, params }) => (await links.listLinks(actor, params.project_id)).map(present)),
    route(endpoints.create, async ({ actor, params, body }) =>
      present(await links.createLink(actor, params.project_id, body)),
    ),
    route(endpoints.show, async ({ actor, params }) => present(await links.getLink(actor, addressOf(params)))),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await links.updateLink(actor, addressOf(params), body)),
    ),
    route(endpoints.delete, ({ actor, params }) => links.deleteLink(actor, addressOf(params))),
    route(endpoints.availableFilters, async ({ actor, params }) => {
      await links.getLink(actor, addressOf(params))
      return availableFilters()
    }),
    ...captureRoutes(links, present),
    route(endpoints.statistics, async ({ actor, params }) => {
      return presentStatistics(await links.statistics(actor, addressOf(params)))
    }),
  ]
}

function captureRoutes(links: LinkService, present: (link: Link) => object): Route[] {
  return [
    route(endpoints.pcap, async ({ actor, params, stopping }) => {
      const bytes = await links.readCapture(actor, addressOf(params), stopping)
      return new RawReply({
        status: 200,
        headers: { 'content-type': 'application/vnd.tcpdump.pcap' },
        body: Readable.from(bytes),
      })
    }),
    route(endpoints.startCapture, async ({ actor, params, body }) => {
      return present(await links.startCapture(actor, addressOf(params), body.capture_file_name ?? ''))
    }),
    route(endpoints.stopCapture, async ({ actor, params }) =>
      present(await links.stopCapture(actor, addressOf(params))),
    ),
  ]
}

function addressOf(params: { project_id: string; link_id: string }): LinkAddress {
  return { projectId: params.project_id, id: params.link_id }
}
