import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMigrations } from '../../read-migrations.ts'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import { openControlDatabase } from './control-database.ts'
import { CONTROL_FILE } from './control-file.ts'
import { createDomainStore } from './sqlite-domain-store.ts'
import { createKeyStore } from './sqlite-key-store.ts'
import { createQuarantineStore } from './sqlite-quarantine-store.ts'

const MIGRATIONS = readMigrations(join(import.meta.dirname, 'migrations'))

const INSERT_AS_OF_0001 = `
  INSERT INTO domain (id, tenant_id, name, description, sending_email, is_active, is_approved, is_verified, dns_records,
    dkim_selector, dkim_public_key, dkim_sealed_private_key, last_verification_errors, last_verification_checked_at_ms,
    created_at_ms, updated_at_ms)
  VALUES (?, 't', ?, 'note', 'a@b.test', ?, 1, 1, '[]', ?, ?, ?, '[{"type":"TXT"}]', 7, 8, 9)`

/** A control file as the first version left it. */
function openFirstVersion(): { readonly folder: string; readonly db: Database } {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-control-'))
  const db = new Database(join(folder, CONTROL_FILE))
  runMigrations(db, MIGRATIONS.slice(0, 1))
  db.run("INSERT INTO tenant (id, client_id, name, created_at_ms) VALUES ('t', 'c', 'acme', 1)")
  return { folder, db }
}

test('0002 keeps every domain with its key as the current one, and has active ones checked soon', async () => {
  const { folder, db } = openFirstVersion()
  const sealed = Uint8Array.from([0, 1, 254, 255])
  db.run(INSERT_AS_OF_0001, 'id-1', 'active.test', 1, 's1', 'a2V5', sealed)
  db.run(INSERT_AS_OF_0001, 'id-2', 'waiting.test', 0, null, null, null)
  db.close()

  const control = openControlDatabase(folder)
  const store = createDomainStore(control)
  const kept = {
    tenantId: 't',
    description: 'note',
    sendingEmail: 'a@b.test',
    isApproved: true,
    isVerified: true,
    dnsRecords: [],
    lastVerificationErrors: [{ type: 'TXT' }],
    lastVerificationCheckedAtMs: 7,
    createdAtMs: 8,
    updatedAtMs: 9,
  }
  const key = { selector: 's1', algorithm: 'rsa', publicKey: 'a2V5', sealedPrivateKey: sealed, state: 'current' }
  assert.deepEqual(await store.findById('id-1'), {
    ...kept,
    id: 'id-1',
    number: 1,
    name: 'active.test',
    isActive: true,
    dkimKeys: [{ ...key, createdAtMs: 8 }],
    recheck: { atMs: 0, step: 0 },
  })
  assert.deepEqual(await store.findById('id-2'), {
    ...kept,
    id: 'id-2',
    number: 2,
    name: 'waiting.test',
    isActive: false,
    dkimKeys: [],
  })
  assert.deepEqual(await store.claimDue(1, 10, 1), ['id-1'])
  control.close()
  rmSync(folder, { recursive: true })
})

test('0002 continues the numbering of domains, whether or not domains are left', async () => {
  for (const left of [0, 1]) {
    const { folder, db } = openFirstVersion()
    for (let index = 1; index <= 3; index++) {
      db.run(INSERT_AS_OF_0001, `id-${index}`, `d${index}.test`, 1, null, null, null)
    }
    db.run('DELETE FROM domain WHERE number > ?', left)
    db.close()

    const control = openControlDatabase(folder)
    const { number } = await createDomainStore(control).create({
      id: 'id-4',
      tenantId: 't',
      name: 'd4.test',
      description: '',
      sendingEmail: '',
      dnsRecords: [],
      dkimKeys: [],
      isActive: true,
      isApproved: false,
      isVerified: false,
      lastVerificationErrors: [],
      createdAtMs: 1,
      updatedAtMs: 1,
    })
    assert.equal(number, 4)
    control.close()
    rmSync(folder, { recursive: true })
  }
})

test('0005 keeps keys, tenants and rejected records: without limits, quotas and a tenant', async () => {
  const { folder, db } = openFirstVersion()
  const secretHash = new Uint8Array(32).fill(7)
  const insertKey =
    'INSERT INTO api_key (id, secret_hash, tenant_id, scopes, created_at_ms, last_used_at_ms) VALUES (?, ?, ?, ?, 2, 3)'
  db.run(insertKey, 'k1', secretHash, 't', '["logs"]')
  db.run(insertKey, 'k2', secretHash, null, '["admin"]')
  const payload = Uint8Array.from([1, 2])
  db.run("INSERT INTO quarantine VALUES (1, ?, 'native', ?, 'reason', 4, 5)", secretHash, payload)
  db.close()

  const control = openControlDatabase(folder)
  const keys = createKeyStore(control)
  const tenant = { id: 't', clientId: 'c', name: 'acme', createdAtMs: 1 }
  const key = { secretHash, createdAtMs: 2, lastUsedAtMs: 3 }
  assert.deepEqual(await keys.listTenants(), [tenant])
  assert.deepEqual(await keys.listKeys(), [
    { ...key, id: 'k1', tenant, scopes: ['logs'] },
    { ...key, id: 'k2', scopes: ['admin'] },
  ])
  assert.deepEqual(await createQuarantineStore(control).list({ afterId: 0, limit: 9 }), [
    {
      id: 1,
      connector: 'native',
      source: { kind: 'earlier', name: '' },
      payload,
      reason: 'reason',
      rejectedAtMs: 4,
      times: 5,
    },
  ])
  control.close()
  rmSync(folder, { recursive: true })
})

test('0004 keeps all quarantined records, and counts them without reading their payloads', async () => {
  const { folder, db } = openFirstVersion()
  const insert = `
    INSERT INTO quarantine (fingerprint, connector, payload, reason, rejected_at_ms, times)
    VALUES (randomblob(32), 'native', zeroblob(?), 'r', 1000, 2)`
  for (let n = 0; n < 3; n++) db.run(insert, 100 + n)
  db.close()

  const control = openControlDatabase(folder)
  const store = createQuarantineStore(control)
  const earlier = { kind: 'earlier', name: '' }
  const records = await store.list({ afterId: 0, limit: 10 })
  assert.deepEqual(
    records.map(({ payload, source, times }) => [payload.length, source, times]),
    [100, 101, 102].map((bytes) => [bytes, earlier, 2]),
  )
  assert.deepEqual(await store.usage(10), {
    records: 3,
    bytes: 0,
    sources: [{ source: earlier, records: 3, bytes: 0 }],
  })
  const [first] = records
  assert.equal(await store.remove([first?.id ?? 0]), 1)
  assert.equal(await store.count(), 2)
  // One that is rejected again stays what it is: its bytes are not counted later either.
  const fresh = {
    payload: new Uint8Array(5),
    connector: 'native',
    source: { kind: 'key', name: 'k' } as const,
    reason: 'r',
  }
  await store.add([fresh], 2000)
  assert.equal(await store.removeOlderThan(1500), 2)
  assert.deepEqual(await store.usage(10), {
    records: 1,
    bytes: 517,
    sources: [{ source: fresh.source, records: 1, bytes: 517 }],
  })
  control.close()
  rmSync(folder, { recursive: true })
})

test('0004 leaves nothing to count in an empty quarantine', async () => {
  const { folder, db } = openFirstVersion()
  db.close()
  const control = openControlDatabase(folder)
  const store = createQuarantineStore(control)
  assert.deepEqual([await store.count(), await store.usage(10)], [0, { records: 0, bytes: 0, sources: [] }])
  control.close()
  rmSync(folder, { recursive: true })
})
