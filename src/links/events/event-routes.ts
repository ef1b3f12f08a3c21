import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type Actor, hasRight } from '../../platform/auth/actor.ts'
import { endpoint, type Route, route } from '../../platform/http/endpoint.ts'
import { RawReply } from '../../platform/http/raw-reply.ts'
import type { SocketPeer, SocketRoute } from '../../platform/http/web-sockets.ts'
import type { MachineUsage } from '../../platform/machine-usage.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import { controller, type EventBus, type LabEvent } from './event-bus.ts'
import { eventStream } from './event-stream.ts'
import type { ProjectListeners } from './project-listeners.ts'

const tag = 'Events'

const endpoints = {
  ofProject: endpoint({
    method: 'GET',
    path: '/v2/projects/{project_id}/notifications',
    status: 200,
    summary: 'Listen to what happens in a project: JSON objects, one per line, without end',
    tag,
    params: Type.Object({ project_id: Type.String() }),
  }),
  ofServer: endpoint({
    method: 'GET',
    path: '/v2/notifications',
    status: 200,
    summary: 'Listen to projects that come and go: JSON objects, one per line, without end',
    tag,
  }),
}

export interface EventRoutesParts {
  readonly bus: EventBus
  readonly access: ProjectAccess
  readonly listeners: ProjectListeners
  readonly usage: MachineUsage
}

interface Listening {
  readonly actor: Actor
  /** A project's id; absent for the events of the server. */
  readonly projectId?: string | undefined
}

/** Events as streams of HTTP. */
export function eventRoutes(parts: EventRoutesParts): Route[] {
  const reply = (lines: AsyncIterable<string>) =>
    new RawReply({ status: 200, headers: { 'content-type': 'application/json' }, body: Readable.from(ended(lines)) })
  return [
    route(endpoints.ofProject, async ({ actor, params, stopping }) => {
      return reply((await open(parts, { actor, projectId: params.project_id }))(stopping))
    }),
    route(endpoints.ofServer, async ({ actor, stopping }) => reply((await open(parts, { actor }))(stopping))),
  ]
}

/** The same events by websocket, a text message each. */
export function eventSockets(parts: EventRoutesParts): SocketRoute[] {
  const serve = async (listening: Listening) => {
    const lines = await open(parts, listening)
    return async (peer: SocketPeer) => {
      for await (const line of lines(peer.closed)) await peer.send(line)
    }
  }
  return [
    {
      path: '/v2/projects/{project_id}/notifications/ws',
      open: ({ actor, params }) => serve({ actor, projectId: params['project_id'] }),
    },
    { path: '/v2/notifications/ws', open: ({ actor }) => serve({ actor }) },
  ]
}

/** @throws AppError `not_found` for a project that the actor may not see */
async function open(
  { bus, access, listeners, usage }: EventRoutesParts,
  { actor, projectId }: Listening,
): Promise<(signal: AbortSignal) => AsyncIterable<string>> {
  if (projectId === undefined) {
    const isShown = (event: LabEvent) => mayKnow(access, actor, event)
    return (signal) => eventStream({ bus, topic: controller, usage, signal, isShown })
  }
  const { id } = await access.getProject(actor, projectId)
  // who is taken out of a project hears no more of it
  const isShown = (event: LabEvent) => mayKnow(access, actor, { ...event, event: { project_id: id } })
  return (signal) => {
    listeners.add(id, signal)
    return eventStream({ bus, topic: id, usage, signal, isShown })
  }
}

/** Of projects that come and go people are told what they could see for themselves. */
async function mayKnow(access: ProjectAccess, actor: Actor, { event, audience }: LabEvent): Promise<boolean> {
  const { project_id: id } = event as { project_id?: unknown }
  if (typeof id !== 'string' || hasRight(actor, 'admin')) return true
  if (audience !== undefined) return actor.userId !== undefined && audience.has(actor.userId)
  return access.getProject(actor, id).then(
    () => true,
    () => false,
  )
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}
