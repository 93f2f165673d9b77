/**
 * What single receivers mean by their answers, where the words or the codes alone mislead. The source is each receiver's
 * documentation for postmasters. They come before the general rules.
 */
import { type OwnRule, saying } from './text-rule.ts'

export const RECEIVER_RULES: readonly OwnRule[] = [
  // Microsoft: 5.4.1 says that the organization's directory does not list the recipient. Postfix uses the same words, with another code,
  // for an access list of its own.
  {
    class: 'InvalidRecipient',
    enhanced: ['x.4.1', 'x.7.504'],
    text: 'recipient address(?:es)? rejected ?: access denied',
  },
  // Microsoft: its 5.1.10 is not the null MX of RFC 7505.
  saying('InvalidRecipient')`resolver\.adr\.(?:ex)?recip\w*notfound`,

  // Yahoo.
  saying('InactiveMailbox')`delivery error: dd\b.{0,20}\bis no longer valid`,

  // Rules of the recipient or of the recipient's organization: Microsoft, Mimecast, Barracuda, Charter.
  saying('PolicyRelated')`
    resolver\.rst\.(?!\w*sizelimit)
    delivery restriction check failed
    customer block ?list
    envelope blocked
    :blocked\)
    aup#in-1[345]\d\d
  `,
  // Microsoft: the domain's own subscription is incomplete.
  saying('BadConfiguration')`no mail-enabled subscriptions`,

  // Blocks of the sending host or account: Microsoft, T-Online, Cox, Charter, Proofpoint, Cisco.
  saying('SpamBlock')`
    bad outbound sender
    banned sender
    traffic not accepted from this ip
    a problem occurred\. \(ask your postmaster
    aup#(?:in-1[02]\d\d|cdrbl|cxbl|ipbl)
    ipcheck\.proofpoint|dnsbl-lookup
    your access to .{0,30}mail system has been rejected
  `,
  // T-Online does not say which of the two. NetEase, Orange and Symantec say it by a code of their own.
  saying('SpamContent')`spam or virus`,
  saying('SpamRelated')`
    \bdt:spm\b
    \bo(?:fr|uk)\d*_506\b
    message filtered\. refer to
  `,
]
