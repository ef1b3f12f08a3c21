import { syncToEnd } from './content.ts'
import type { Json } from './json.ts'
import { nativeArch } from './rpm-build.ts'
import { ViewLab } from './view-lab.ts'
import { startYumUpstream, type YumUpstream } from './yum-upstream.ts'

/** A filter as it is made, with its rules. */
export interface WantedFilter {
  readonly type: string
  readonly inclusion?: boolean
  readonly rules: readonly object[]
  readonly [option: string]: unknown
}

/** A server with a repository of the packages of yum-upstream.ts, and content views of it with filters. */
export class PackageViews implements AsyncDisposable {
  readonly lab: ViewLab
  readonly upstream: YumUpstream
  readonly repository: Json

  private constructor(lab: ViewLab, upstream: YumUpstream, repository: Json) {
    this.lab = lab
    this.upstream = upstream
    this.repository = repository
  }

  static async start(): Promise<PackageViews> {
    await using opened = new AsyncDisposableStack()
    const lab = opened.use(await ViewLab.start())
    const upstream = opened.use(await startYumUpstream(['gz']))
    const attributes = { content_type: 'yum', url: upstream.url('gz'), download_policy: 'on_demand' }
    const repository = await lab.createRepository({}, attributes)
    const { result, humanized } = await syncToEnd(lab.server, repository.id)
    if (result !== 'success') throw new Error(JSON.stringify(humanized))
    opened.move()
    return new PackageViews(lab, upstream, repository)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.upstream[Symbol.asyncDispose]()
    await this.lab[Symbol.asyncDispose]()
  }

  async addFilter(view: Json, { rules, ...filter }: WantedFilter): Promise<Json> {
    const name = `Filter ${crypto.randomUUID()}`
    const { id } = await this.lab.create('content_view_filters', { content_view_id: view.id, name, ...filter })
    for (const rule of rules) await this.lab.create(`content_view_filters/${id}/rules`, rule)
    return this.lab.show(`content_view_filters/${id}`)
  }

  /** The archived copy in a new version of a new view with these filters. */
  async publish(...filters: readonly WantedFilter[]): Promise<Json> {
    const view = await this.lab.createView({ repositories: [this.repository] })
    for (const filter of filters) await this.addFilter(view, filter)
    const [copy] = await this.lab.list({ content_view_version_id: await this.lab.publish(view), archived: true })
    return copy as Json
  }

  /** What is published through these filters; the architecture of this machine is called `native`. */
  async chosen(...filters: readonly WantedFilter[]): Promise<Record<string, string[]>> {
    const copy = await this.publish(...filters)
    const list = async (path: string, name: string) => {
      const { results } = await this.lab.show(`${path}?repository_id=${copy.id}&full_result=true`)
      return results.map((row: Json) => String(row[name]).replace(`.${nativeArch}`, '.native')).sort()
    }
    return {
      packages: await list('packages', 'nvra'),
      sources: await list('srpms', 'nvra'),
      errata: await list('errata', 'errata_id'),
      groups: await list('package_groups', 'package_group_id'),
      modules: await list('module_streams', 'module_spec'),
    }
  }
}
