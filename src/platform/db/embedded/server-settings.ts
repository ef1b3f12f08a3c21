import { socketPort } from './socket-folder.ts'

/** Few processes and little memory while idle; nothing that weakens what a commit promises. */
const settings = {
  listen_addresses: '',
  port: String(socketPort),
  unix_socket_permissions: '0700',
  cluster_name: 'backhaul',
  max_connections: '60',
  shared_buffers: '64MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',

  // Parallel plans need shared memory that containers rarely have, and the cores are the data plane's.
  io_method: 'sync',
  max_worker_processes: '0',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  autovacuum_worker_slots: '2',
  autovacuum_max_workers: '2',

  // Nothing replicates from here.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_replication_slots: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',

  // Statements and details can hold secrets.
  log_line_prefix: '',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
} as const

/** The arguments of `postgres`, which go before everything that is set in the data folder. */
export function serverArguments(folder: string, socketFolder: string): string[] {
  const sockets = `"${socketFolder.replaceAll('"', '""')}"`
  const all = { ...settings, unix_socket_directories: sockets }
  return ['-D', folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
