import { AppError, messageOf } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { PlaneChild } from './plane-child.ts'
import type { WantedLink, WantedState } from './wanted-state.ts'

export interface RestoreOptions {
  readonly child: PlaneChild
  readonly logger: Logger
  /** Called for a capture that cannot go on. */
  readonly onCaptureLost: (linkId: string, captureId: string, reason: string) => void
}

/** Brings a fresh process to the wanted state. What the process refuses is reported; the rest comes back. */
export async function restore({ bridges, links }: WantedState, options: RestoreOptions): Promise<void> {
  const { child, logger } = options
  for (const [bridgeId, { spec, group }] of bridges) {
    await child.call('openBridge', { bridgeId, spec, group }).catch((error: unknown) => {
      logger.error({ bridgeId, error: refusalOf(error) }, 'a bridge could not be opened again')
    })
  }
  for (const [linkId, link] of links) {
    await restoreLink(linkId, link, options).catch((error: unknown) => {
      logger.error({ linkId, error: refusalOf(error) }, 'a link could not be opened again')
    })
  }
}

async function restoreLink(linkId: string, link: WantedLink, options: RestoreOptions): Promise<void> {
  const { child, logger, onCaptureLost } = options
  await child.call('openLink', openingOf(linkId, link))
  for (const end of [0, 1] as const) {
    const port = link.ports[end]
    if (port === undefined) continue
    await child.call('attachPort', { linkId, end, port }).catch((error: unknown) => {
      logger.error({ linkId, end, error: refusalOf(error) }, 'a port could not be attached again')
    })
  }
  for (const [captureId, { path }] of link.captures) {
    await child.call('startCapture', { linkId, captureId, path, append: true }).catch((error: unknown) => {
      onCaptureLost(linkId, captureId, refusalOf(error))
    })
  }
}

/** What the process is told to open a link. */
export function openingOf(linkId: string, { filters, suspended, seed, group }: WantedLink) {
  return { linkId, filters, suspended, seed, ...(group === undefined ? {} : { group }) }
}

/** The text of what the process refused; anything else is thrown on. */
function refusalOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  return messageOf(error)
}
