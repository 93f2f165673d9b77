/** How the peer, PostgreSQL, is configured. */

/** Every setting that differs from the default. None of them makes it slower. */
export const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '2GB',
  synchronous_commit: 'on',
  effective_cache_size: '6GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  // Fewer checkpoints: after each one, the write-ahead log carries whole pages again.
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  // Random reads of an SSD cost little more than sequential ones.
  random_page_cost: '1.1',
  // Compiling takes longer than any of these queries.
  jit: 'off',
}
