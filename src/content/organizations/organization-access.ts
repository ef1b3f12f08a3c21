import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight, requireRight } from '../../platform/auth/actor.ts'
import type { AuthTables } from '../../platform/auth/tables.ts'
import { findUserByLogin } from '../../platform/auth/user-store.ts'
import { type ContentTables, type OrganizationRole, organizationRoles } from '../tables.ts'
import { findRole, listMemberships, type Member } from './organization-store.ts'

/** Who may do what in an organization; administrators may do everything everywhere. */
export class OrganizationAccess {
  readonly #db: Kysely<ContentTables>

  constructor(db: Kysely<ContentTables>) {
    this.#db = db
  }

  async canView(actor: Actor, organizationId: number): Promise<boolean> {
    return (await this.findRole(actor, organizationId)) !== undefined
  }

  /**
   * To be asked after `canView`: what one may not see is not found, what one may not do is forbidden.
   *
   * @throws AppError `forbidden` that names the missing permission
   */
  async requireRole(
    actor: Actor,
    organizationId: number,
    needed: { role: OrganizationRole; permission: string },
  ): Promise<void> {
    const role = await this.findRole(actor, organizationId)
    const rank = (name: OrganizationRole | undefined) => (name === undefined ? -1 : organizationRoles.indexOf(name))
    if (rank(role) < rank(needed.role)) throw forbidden(needed.permission)
  }

  /** The member whom lists must be cut down to; undefined for those who see everything. */
  memberId(actor: Actor): number | undefined {
    return hasRight(actor, 'admin') ? undefined : (actor.userId ?? 0)
  }

  /**
   * The same for another user, about whom only administrators may ask. Whom nobody knows is a member of nothing.
   *
   * @throws AppError `forbidden`
   */
  async memberIdOf(actor: Actor, login: string): Promise<number | undefined> {
    requireRight(actor, 'admin')
    const user = await findUserByLogin(this.#db as unknown as Kysely<AuthTables>, login)
    return user?.rights.includes('admin') ? undefined : (user?.id ?? 0)
  }

  /** The scopes of tasks that somebody sees. */
  async visibleScopes(actor: Actor): Promise<string[]> {
    return (await this.#memberships(actor)).map(({ organization_id: id }) => organizationScope(id))
  }

  /** The scopes of tasks that somebody may cancel. */
  async editableScopes(actor: Actor): Promise<string[]> {
    const editing = (await this.#memberships(actor)).filter(({ role }) => role !== 'viewer')
    return editing.map(({ organization_id: id }) => organizationScope(id))
  }

  /** What somebody is in an organization; undefined for strangers. */
  async findRole(actor: Actor, organizationId: number): Promise<OrganizationRole | undefined> {
    if (hasRight(actor, 'admin')) return 'manager'
    return actor.userId === undefined ? undefined : findRole(this.#db, organizationId, actor.userId)
  }

  /** The same for many organizations; those where somebody is a stranger are left out. */
  async findRoles(actor: Actor, organizationIds: readonly number[]): Promise<ReadonlyMap<number, OrganizationRole>> {
    if (hasRight(actor, 'admin')) return new Map(organizationIds.map((id) => [id, 'manager']))
    return new Map((await this.#memberships(actor)).map(({ organization_id: id, role }) => [id, role]))
  }

  async #memberships(actor: Actor): Promise<Member[]> {
    return actor.userId === undefined ? [] : listMemberships(this.#db, actor.userId)
  }
}

export function organizationScope(id: number): string {
  return `organization:${id}`
}
