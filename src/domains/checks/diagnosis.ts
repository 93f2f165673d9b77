/** The mistakes that a check tells apart, each with words of its own. The names are stable: scripts may go by them. */

export const DIAGNOSES = {
  // Anything can be missing, or hidden.
  no_such_domain: 'the domain itself does not exist: it is not registered, or has no name servers',
  no_such_name: 'nothing is published at the name',
  no_such_type: 'the name exists and has no record of that type',
  doubled_zone: 'the DNS provider has appended the zone to a name that ended in it already',
  wrong_place: 'the record is right and stands at another name',
  dangling_alias: 'a CNAME is there and leads to a name that has no such record',
  alias_loop: 'the CNAMEs lead in a circle, or on without end',
  servers_disagree: 'not all name servers of the zone have the record',
  no_answer: 'DNS could not be asked, which says nothing about the record',
  // Anything can be there and be wrong.
  wrong_value: 'something else is published there',
  wildcard: 'the answer comes from a wildcard record, not from one at the name itself',
  several_records: 'there are several records where one is allowed',
  quotes_left: 'the value is right but for quotation marks in it',
  escapes_left: 'the value is right but for backslashes in it',
  lookalike_characters: 'the value is right but for characters that merely look like the required ones',
  truncated: 'the value is cut off',
  split_records: 'the value is spread over several records instead of several strings of one record',
  // DKIM.
  key_revoked: 'the key is empty, which says that it must not be used any more',
  key_damaged: 'the key holds what no key has, or has lost the case of its letters',
  key_form: 'the key is ours, in another encoding than receivers read',
  other_key: 'the key is not ours',
  repeated_tag: 'a tag is there twice',
  wrong_version: 'the version tag is wrong or not the first',
  wrong_key_type: 'the record says that the key is of another kind',
  hash_not_allowed: 'the record does not allow the hash algorithm that mail is signed with',
  service_not_allowed: 'the record does not allow the key for email',
  // SPF.
  no_spf: 'none of the TXT records is an SPF record',
  several_spf: 'there are several SPF records, which counts as none',
  spf_missing: 'the policy does not hold what is required',
  spf_behind_all: 'what is required stands behind a term that matches everybody',
  spf_qualifier: 'what is required is there with a sign that does not let mail pass',
  spf_lookups: 'receivers give up before, because of more than 10 lookups',
  spf_void_lookups: 'receivers give up before, because of more than 2 names without an answer',
  spf_loop: 'receivers give up before, because the policy includes itself',
  spf_broken: 'receivers give up before, because the record or one that it includes cannot be used',
  operator_spf: "the record is right, and the operator's own SPF record, which it includes, is not",
  // DMARC.
  dmarc_policy: 'the record has no policy that receivers understand',
  // CNAME and MX.
  wrong_target: 'the record leads elsewhere',
  target_with_zone: 'the DNS provider has appended the zone to the target',
  proxied: 'a proxy of the DNS provider answers in place of the record',
  flattened: 'the DNS provider publishes addresses in place of the CNAME',
} as const

export type DiagnosisCode = keyof typeof DIAGNOSES
