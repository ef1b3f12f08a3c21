import { join } from 'node:path'
import type { DirectionStatistics, LinkStatistics } from '../dataplane/data-plane.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { PortLabel } from '../tables.ts'
import type { Link } from './link-store.ts'

export interface PresentedLink {
  readonly link: Link
  readonly isCapturing: boolean
  readonly folders: ProjectFolders
}

/** The link object of GNS3; label coordinates that nobody gave are left out. */
export function presentLink({ link, isCapturing, folders }: PresentedLink): object {
  const { capture_file_name: name } = link
  return {
    link_id: link.id,
    project_id: link.project_id,
    nodes: link.ends.map(({ node_id, adapter_number, port_number, label }) => ({
      node_id,
      adapter_number,
      port_number,
      label,
    })),
    link_type: 'ethernet',
    filters: link.filters,
    link_style: link.link_style,
    suspend: link.is_suspended,
    capturing: isCapturing,
    capture_file_name: name,
    capture_file_path: name === null ? null : join(folders.captures(link.project_id), name),
    capture_compute_id: isCapturing ? 'local' : null,
  }
}

const defaultStyle = 'font-family: TypeWriter;font-size: 10.0;font-weight: bold;fill: #000000;fill-opacity: 1.0;'

export interface GivenLabel {
  readonly text: string
  readonly style?: string | null
  readonly x?: number | null
  readonly y?: number | null
  readonly rotation?: number | null
}

/** What is kept of a label: nulls, which some clients send for "unknown", are not. */
export function toLabel(
  given: GivenLabel | null | undefined,
  port: { adapter_number: number; port_number: number },
): PortLabel {
  if (given === null || given === undefined)
    return { text: `${port.adapter_number}/${port.port_number}`, style: defaultStyle }
  const { text, style, x, y, rotation } = given
  const styled = style === undefined ? {} : { style }
  return { text, ...styled, ...number('x', x), ...number('y', y), ...number('rotation', rotation) }
}

function number(key: string, value: number | null | undefined): Record<string, number> {
  return value === null || value === undefined ? {} : { [key]: value }
}

/** Nulls while no node of the link runs: nothing passes then. */
export function presentStatistics(statistics: LinkStatistics | undefined): object {
  if (statistics === undefined) return { forward: null, reverse: null }
  return { forward: presentDirection(statistics.forward), reverse: presentDirection(statistics.reverse) }
}

function presentDirection(direction: DirectionStatistics): object {
  return {
    frames_in: direction.framesIn,
    bytes_in: direction.bytesIn,
    frames_out: direction.framesOut,
    bytes_out: direction.bytesOut,
    queued_frames: direction.queuedFrames,
    queued_bytes: direction.queuedBytes,
    dropped: direction.dropped,
  }
}
