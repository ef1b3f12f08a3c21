import { invalidField } from '../../platform/errors.ts'
import { defaultDrawing } from '../drawings/drawing-service.ts'
import { isSvgText } from '../drawings/svg-text.ts'
import { defaultSettings } from '../projects/project-contract.ts'
import type { Content } from './content.ts'
import type { DocumentDrawing, TopologyDocument } from './document-contract.ts'
import { Once } from './place.ts'
import { readLinks } from './read-links.ts'
import { type ReadOptions, readNodes } from './read-nodes.ts'

/**
 * Reads what a topology document holds, with all the checks of making it by hand.
 *
 * @throws AppError `invalid` that names the place in the document, or `forbidden` for who must not have such a node
 */
export function readContent({ topology }: TopologyDocument, options: ReadOptions): Content {
  const nodes = readNodes(topology.nodes ?? [], options)
  const links = readLinks(topology.links ?? [], nodes, options.kinds)
  return { nodes, links, drawings: readDrawings(topology.drawings ?? []) }
}

/** What is not said is as in a new project. */
export function readSettings(document: TopologyDocument): Record<string, unknown> {
  const given = document as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(defaultSettings).map(([key, value]) => [key, given[key] ?? value]))
}

function readDrawings(drawings: readonly DocumentDrawing[]): Content['drawings'] {
  const ids = new Once('is the id of two drawings')
  return drawings.map((drawing, index) => {
    const place = `topology.drawings[${index}]`
    const { x, y, z, rotation, locked, svg } = { ...defaultDrawing, ...drawing }
    const id = drawing.drawing_id.toLowerCase()
    ids.add(id, `${place}.drawing_id`)
    if (!isSvgText(svg)) throw invalidField(`${place}.svg`, 'must be the text of an <svg> element, not a file name')
    return { id, x, y, z, rotation, locked, svg }
  })
}
