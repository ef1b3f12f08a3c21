import type pg from 'pg'
import type { BenchProgram } from '../program.ts'
import { note } from '../report.ts'
import { inParallel } from './client.ts'

const productCount = 200
export const repositoryCount = Number(process.env['BENCH_REPOSITORIES'] ?? 10_000)
const unitCount = 100_000
const unitsEach = 20

const words = ['zoo', 'garden', 'harbour', 'abc', 'mill', 'tower', 'bridge', 'meadow', 'island', 'lantern']

/** Many names have a word in common, and none is twice. */
export function repositoryName(number: number): string {
  return `${words[(number * 7) % words.length]} ${words[Math.floor(number / 10) % words.length]} ${number}`
}

/** What is in the server when it is asked. */
export interface Filled {
  readonly productIds: readonly number[]
  readonly repositoryIds: readonly number[]
  /** Holds all units that there are. */
  readonly bigId: number
}

export async function fill({ server, database }: BenchProgram): Promise<Filled> {
  const start = performance.now()
  const productIds = await inParallel(server.api, productCount, (client, number) =>
    client.ask('POST', '/content/api/products', { organization_id: 1, name: `Bench product ${number}` }),
  )
  const repositoryIds = await inParallel(server.api, repositoryCount, (client, number) =>
    client.ask('POST', '/content/api/repositories', {
      product_id: productIds[number % productCount],
      name: repositoryName(number),
      content_type: 'file',
      url: `http://127.0.0.1:1/${number}/`,
    }),
  )
  const took = (performance.now() - start) / 1000
  note(`\n${repositoryCount} repositories in ${productCount} products, made in ${took.toFixed(1)} s through the API`)
  const [bigId = 0] = repositoryIds
  await fillUnits(database, bigId)
  await fillTasks(database)
  for (const table of ['units', 'unit_files', 'content_set_units', 'content_set_versions', 'tasks', 'repositories'])
    await database.query(`vacuum analyze ${table}`)
  await database.query('analyze')
  return { productIds, repositoryIds, bigId }
}

/** One repository holds all units, half of the others a few of them: as if they had been synced. */
async function fillUnits(database: pg.Pool, bigId: number): Promise<void> {
  const start = performance.now()
  await database.query(
    `insert into units (kind, natural_key) select 'file', 'bench/' || n from generate_series(1, $1) n`,
    [unitCount],
  )
  await database.query(`insert into unit_files (unit_id, path, sha256, size_bytes)
    select id, 'folder-' || id % 100 || '/file-' || id || '.bin', encode(sha256(natural_key::bytea), 'hex'), 4096 from units`)
  await database.query(
    `insert into content_set_units (set_id, unit_id, added_in)
      select r.set_id, u.id, 1 from repositories r join units u on r.id = $1
      union all
      select r.set_id, u.first + (r.id * ${unitsEach} + n) % ${unitCount}, 1
      from repositories r, generate_series(0, ${unitsEach - 1}) n, (select min(id) as first from units) u
      where r.id % 2 = 0 and r.id <> $1`,
    [bigId],
  )
  await database.query(`insert into content_set_versions (set_id, number, counts)
    select set_id, 1, jsonb_build_object('file', count(*)) from content_set_units group by set_id`)
  await database.query(`update content_sets set latest_version = 1
    where id in (select set_id from content_set_versions where number = 1)`)
  const took = (performance.now() - start) / 1000
  note(`${unitCount} units in one of them, ${unitsEach} in half of the others, written in ${took.toFixed(1)} s`)
}

/** Every repository was synced once. */
async function fillTasks(database: pg.Pool): Promise<void> {
  await database.query(`insert into tasks (id, kind, label, action, humanized_action, input, state, result, progress,
      user_id, username, scope, created_at, started_at, ended_at)
    select gen_random_uuid(), 'sync', 'Actions::Katello::Repository::Sync', 'Synchronize repository ' || id, 'Synchronize',
      jsonb_build_object('repositoryId', id), 'stopped', 'success', 1, 1, 'admin', 'organization:1',
      now() - id * interval '1 minute', now() - id * interval '1 minute', now() - id * interval '1 minute'
    from repositories`)
  await database.query(`update repositories r set last_sync_task_id = t.id
    from tasks t where (t.input ->> 'repositoryId')::bigint = r.id`)
}
