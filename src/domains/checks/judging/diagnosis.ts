/** The mistakes that a check distinguishes, each with its own error text. The codes are stable: scripts may use them. */

export const DIAGNOSES = {
  // Any record can be missing or hidden.
  no_such_domain: 'the domain does not exist: it is not registered or has no name servers',
  no_such_name: 'nothing is published at the name',
  no_such_type: 'the name exists but has no record of that type',
  doubled_zone: 'the DNS provider appended the zone to a name that already ended in it',
  wrong_place: 'the record is correct but published at another name',
  domain_is_alias: 'the domain itself is a CNAME, so it cannot have records of its own',
  dangling_alias: 'a CNAME points to a name that has no such record',
  alias_loop: 'the CNAME records form a loop or a chain that is too long',
  servers_disagree: 'not all name servers of the zone have the record',
  no_answer: 'the DNS query failed, which says nothing about the record',
  check_limit: 'not checked: it needs more DNS queries, or is larger, than a check allows',
  // Any record can be wrong.
  wrong_value: 'a different value is published at the name',
  wildcard: 'the answer comes from a wildcard record, not from a record at the name itself',
  several_records: 'there are several records where only one is allowed',
  quotes_left: 'the value is correct except for quotation marks in it',
  escapes_left: 'the value is correct except for backslashes in it',
  lookalike_characters: 'the value is correct except for characters that only look like the required ones',
  truncated: 'the value is truncated',
  split_records: 'the value is split over several records instead of several strings of one record',
  // DKIM.
  key_revoked: 'the key is empty, which means that it is revoked',
  key_damaged: 'the key is not valid: it has wrong or extra characters, or its letter case was changed',
  key_form: 'the key is ours, but in an encoding that receivers cannot read',
  other_key: 'the key is not ours',
  repeated_tag: 'a tag appears twice',
  wrong_version: 'the version tag is wrong or not the first tag',
  wrong_key_type: 'the record names the wrong key type',
  hash_not_allowed: 'the record does not allow the hash algorithm that is used to sign mail',
  service_not_allowed: 'the record does not allow the key to be used for email',
  // SPF.
  no_spf: 'none of the TXT records is an SPF record',
  several_spf: 'there are several SPF records, so receivers use none of them',
  spf_missing: 'the policy does not contain the required mechanism',
  spf_behind_all: 'the required mechanism comes after a term that matches every sender',
  spf_qualifier: 'the required mechanism has a qualifier that does not let mail pass',
  spf_lookups: 'receivers stop evaluating the policy: it needs more than 10 DNS lookups',
  spf_void_lookups: 'receivers stop evaluating the policy: it has more than 2 void lookups',
  spf_loop: 'receivers stop evaluating the policy: it includes itself',
  spf_joined: 'a space between two terms is missing, so receivers read them as one',
  spf_broken: 'receivers stop evaluating the policy: the record, or one that it includes, is invalid',
  operator_spf: "the record is correct, but the operator's own SPF record, which it includes, is not",
  // DMARC.
  dmarc_policy: 'the record has no policy that receivers understand',
  // CNAME and MX.
  wrong_target: 'the record points to another host',
  target_with_zone: 'the DNS provider appended the zone to the target',
  proxied: 'a proxy of the DNS provider answers instead of the record',
  flattened: 'the DNS provider publishes addresses instead of the CNAME',
} as const

export type DiagnosisCode = keyof typeof DIAGNOSES
