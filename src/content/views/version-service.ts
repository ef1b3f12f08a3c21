import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import { findVersionDetails, type VersionDetails } from './version-details-store.ts'
import { findVersion, listVersions, updateVersion, type VersionFilter, type VersionRecord } from './version-store.ts'
import type { ViewService } from './view-service.ts'

/** A version of a content view with what it is shown with. */
export interface ContentViewVersion {
  readonly version: VersionRecord
  readonly details: VersionDetails
  /** What the asker is in its organization. */
  readonly role: OrganizationRole | undefined
}

export interface VersionServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
  readonly views: ViewService
}

/** What was published of content views. */
export class VersionService {
  readonly #parts: VersionServiceParts

  constructor(parts: VersionServiceParts) {
    this.#parts = parts
  }

  async listVersions(
    actor: Actor,
    filter: Omit<VersionFilter, 'memberId'>,
    request: ListRequest,
  ): Promise<Listed<ContentViewVersion>> {
    const { db, access, organizations, views } = this.#parts
    if (filter.organizationId !== undefined) await organizations.getOrganization(actor, filter.organizationId)
    if (filter.viewId !== undefined) await views.getRow(actor, filter.viewId)
    const { rows, ...counts } = await listVersions(db, { ...filter, memberId: access.memberId(actor) }, request)
    return { rows: await this.#show(actor, rows), ...counts }
  }

  async getVersion(actor: Actor, id: number): Promise<ContentViewVersion> {
    const [shown] = await this.#show(actor, [await this.#getRow(actor, id)])
    return shown as ContentViewVersion
  }

  async updateVersion(
    actor: Actor,
    id: number,
    { description }: { readonly description?: string | null },
  ): Promise<ContentViewVersion> {
    const { db, access } = this.#parts
    const { organization_id, is_default } = await this.#getRow(actor, id)
    await access.requireRole(actor, organization_id, { role: 'editor', permission: 'edit_content_views' })
    if (is_default) throw invalidField('id', 'is the version of the default content view, which cannot be changed')
    if (description !== undefined && !(await updateVersion(db, id, description)))
      throw notFound('content view version', id)
    return this.getVersion(actor, id)
  }

  async #getRow(actor: Actor, id: number): Promise<VersionRecord> {
    const version = await findVersion(this.#parts.db, id)
    if (version === undefined || !(await this.#parts.access.canView(actor, version.organization_id)))
      throw notFound('content view version', id)
    return version
  }

  async #show(actor: Actor, versions: readonly VersionRecord[]): Promise<ContentViewVersion[]> {
    const { db, access } = this.#parts
    const versionIds = versions.map(({ id }) => id)
    const organizationIds = versions.map(({ organization_id }) => organization_id)
    const [details, roles] = await Promise.all([
      findVersionDetails(db, versionIds),
      access.findRoles(actor, organizationIds),
    ])
    return versions.map((version) => ({ version, details, role: roles.get(version.organization_id) }))
  }
}
