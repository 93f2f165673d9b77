import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProviderFinder } from './find-provider.ts'
import { asList } from './operator-table.ts'
import { parseProviders } from './provider.ts'
import { PROVIDERS } from './providers.ts'

const find = createProviderFinder()

describe('a provider is found by its host', () => {
  const samples: Readonly<Record<string, readonly string[]>> = {
    Gmail: ['gmail-smtp-in.l.google.com', 'alt4.gmail-smtp-in.l.google.com.', 'GMAIL-SMTP-IN.L.GOOGLE.COM'],
    'Google Workspace': ['aspmx.l.google.com', 'alt2.aspmx.l.google.com', 'smtp.google.com', 'aspmx3.googlemail.com'],
    'Outlook.com': ['hotmail-com.olc.protection.outlook.com', 'eur.olc.protection.outlook.com'],
    'Microsoft 365': ['acme-com.mail.protection.outlook.com', 'acme-com.k-v1.mx.microsoft'],
    Yahoo: ['mta5.am0.yahoodns.net', 'mx-eu.mail.am0.yahoodns.net'],
    AOL: ['mx-aol.mail.gm0.yahoodns.net'],
    iCloud: ['mx01.mail.icloud.com'],
    GMX: ['mx00.gmx.net', 'mx01.emig.gmx.net'],
    Proofpoint: ['mx0a-00112233.pphosted.com'],
    Mimecast: ['eu-smtp-inbound-1.mimecast.com'],
    'Cisco Secure Email': ['mx1.hc1234-56.eu.iphmx.com'],
    GoDaddy: ['smtp.secureserver.net'],
    'Mail.ru': ['mxs.mail.ru'],
    'QQ Mail': ['mx3.qq.com'],
  }
  for (const [name, hosts] of Object.entries(samples)) {
    test(name, () => {
      for (const host of hosts) assert.equal(find(host), name, host)
    })
  }
})

test('a host that is in no table has no provider; a similar name is not enough', () => {
  for (const host of [
    'mx.acme.test',
    'notgoogle.com',
    'google.com.evil.test',
    'com',
    '',
    '.',
    '[192.0.2.1]',
    '192.0.2.1',
  ])
    assert.equal(find(host), undefined, host)
})

test('every host in our table is in lower case and belongs to one provider', () => {
  const hosts = PROVIDERS.flatMap((provider) => asList(provider.hosts))
  assert.deepEqual([...new Set(hosts.map((host) => host.toLowerCase()))], hosts)
  const names = PROVIDERS.map((provider) => provider.name)
  assert.deepEqual([...new Set(names)], names)
})

describe("the operator's providers", () => {
  test('come before ours, even with a shorter host name; the longest of them wins', () => {
    const own = createProviderFinder(
      parseProviders(
        JSON.stringify({
          providers: [
            { name: 'Google', hosts: 'google.com' },
            { name: 'Partner', hosts: ['Partner.test', 'eu.partner.test'] },
            { name: 'Partner US', hosts: ['us.partner.test', 'partner.test'] },
          ],
        }),
      ),
    )
    assert.equal(own('gmail-smtp-in.l.google.com'), 'Google')
    assert.equal(own('mx.us.partner.test'), 'Partner US')
    assert.equal(own('mx.partner.test'), 'Partner')
    assert.equal(own('mx01.mail.icloud.com'), 'iCloud')
  })

  test('are rejected with all their problems at once', () => {
    const providers = [{ name: '', hosts: ['a b', 'ok.test', '*.x.test'] }, { name: 'X', hosts: [] }, { host: 'x' }]
    assert.throws(() => parseProviders(JSON.stringify({ providers })), {
      message:
        'has 7 problems: providers[0]: name: must be a non-empty string; ' +
        'providers[0]: hosts: "a b" is not a host name; providers[0]: hosts: "*.x.test" is not a host name; ' +
        'providers[1]: hosts: must be a host name or a list of host names; ' +
        'providers[2]: unknown name "host" (known: name, hosts); providers[2]: name: must be a non-empty string; ' +
        'providers[2]: hosts: must be a host name or a list of host names',
    })
  })
})
