/**
 * The built-in rules for failures that come without a class; the first match wins. A server's text is more specific than
 * its enhanced code, and that more than the three digits, which many servers choose carelessly: a plain 550 stays
 * uncategorized, because a wrong class could cost a valid address. Text rules about the sender or the message come
 * before those about the recipient: "recipient rejected: your IP is listed" is not about the recipient.
 */
import type { BounceClass } from './bounce-classes.ts'
import type { BounceRule } from './bounce-rule.ts'

type OwnRule = BounceRule & { readonly class: BounceClass }

export const BOUNCE_RULES: readonly OwnRule[] = [
  // The sending server gave up, whatever the last failure was.
  saying('MessageExpired')`
    retry time ?out exceeded
    exceed\w* (?:the )?(?:max_age|expiry time|maximum (?:queue )?lifetime)
    (?:message|delivery(?: time)?|mail) (?:has )?expired
    could not be delivered for (?:too long|\d+ (?:hours?|days?))
    too long in (?:the )?queue
  `,

  // Automatic answers to delivered mail.
  saying('AutoReply')`
    out[ -]of[ -](?:the[ -])?office
    auto(?:matic)?[ -]?(?:reply|response|responder)
  `,
  saying('ChallengeResponse')`
    challenge[ -]response
    (?:click|visit|reply)\b.{0,60}to (?:confirm|verify|prove) (?:that )?you (?:are|sent)
  `,

  // The message itself.
  saying('VirusRelated')`
    \b(?:virus(?:es)?|malware|trojan|worm|ransomware)\b
    \binfected\b
    \b(?:clamav|eicar)\b
  `,
  saying('ProhibitedAttachment')`
    attachments?\b.{0,60}\b(?:not (?:allowed|accepted|permitted)|block\w*|prohibit\w*|reject\w*|forbid\w*|banned)
    \b(?:blocked|banned|prohibited|forbidden|dangerous|executable|disallowed|illegal)\b.{0,30}\battachment
    \b(?:file (?:type|name|extension)|extension)s?\b.{0,40}\b(?:not (?:allowed|accepted|permitted)|block|banned|forbidden)
    content presents a potential security issue
  `,
  saying('ContentRelated')`
    (?:message|mail|size|content)\b.{0,30}\b(?:too (?:large|big|long)|exceeds?\b.{0,40}\b(?:size|limit|maximum))
    \bsize limit\b
  `,

  // The sender: identity, network, permission.
  saying('AuthenticationFailed')`
    \b(?:dmarc|dkim|spf|arc)\b.{0,80}\b(?:fail\w*|invalid|reject\w*|not (?:pass\w*|aligned|authorized|permitted)|policy|missing|required|error|none)
    \b(?:fail\w*|violat\w*|not pass\w*|violation of|due to|against|lacks?|without|no valid)\b.{0,60}\b(?:dmarc|dkim|spf)\b
    \bunauthenticated\b
    \b(?:must|needs?|not|be|fails?|failed)\b.{0,20}\bauthenticat(?:e|ed|ion)\b
    authentication (?:required|failed|checks?|credentials|information)
    \bnot authori[sz]ed to send\b
    must issue a? ?starttls
  `,
  saying('SpamBlock')`
    \b(?:spamhaus|spamcop|barracudacentral|sorbs|senderscore|uceprotect|abusix|spamrats|invaluement|cloudmark|senderbase|talos)\b
    \b(?:rbl|dnsbl)s?\b
    \b(?:block|black|deny)[ -]?list(?:ed|s|ing)?\b
    \breputation\b
    \b(?:ip|host|network|server|address|domain|client)\b.{0,60}\b(?:is|are|was|has been|been|been temporarily|temporarily|currently) (?:listed|banned|blocked|block|denied|blacklisted)
    \b(?:blocked|banned|listed|refused|rejected)\b.{0,40}\b(?:your|sending|source|client) (?:ip|host|network|server|address)
    \bunsolicited (?:mail|e-?mail|messages?)\b.{0,40}\boriginating\b
    known (?:source of )?spam(?:mer| source)?
    spam (?:source|sender)s?\b
    complaints? (?:from|rate)
  `,
  saying('SpamContent')`
    \b(?:message|mail|content|e-?mail|this|it)\b.{0,60}\b(?:spam|unsolicited|junk)\b
    \b(?:classified|identified|considered|detected|flagged|tagged|recogni[sz]ed|rejected|marked|blocked)\b.{0,20}\b(?:spam|junk|bulk)\b
    \bspam\b.{0,20}\b(?:content|message|mail|score|detected|probability|filter)
    \bphish\w*
    \b(?:surbl|uribl|dbl)\b
    \b(?:url|link)s?\b.{0,40}\b(?:block|list|reject|prohibit)\w*
  `,
  saying('SpamRelated')`\b(?:anti-?)?spam\w*`,
  saying('ContentRelated')`
    \bcontent\b.{0,40}\b(?:reject\w*|block\w*|refus\w*|filter\w*|not (?:allowed|accept\w*))
    \b(?:reject\w*|block\w*|refus\w*|filtered)\b.{0,40}\bcontent\b
  `,
  saying('RelayDenied')`
    relay(?:ing)?\b.{0,30}\b(?:denied|not (?:permitted|allowed)|prohibited|disallowed|refused|forbidden)
    (?:not|no|unable|unauthori[sz]ed|do not|cannot)\b.{0,30}\brelay
    not (?:a )?local(?: (?:user|domain|host))?\b
  `,
  saying('RelayingIssues')`\brelay(?:ing|ed)?\b.{0,40}\b(?:error|fail\w*|problem|unavailable|not configured)`,
  saying('InvalidSender')`
    \bsender\b.{0,60}\b(?:reject\w*|denied|invalid|not (?:exist|found|valid|allowed|verified)|unknown|does ?n[o']t|verif\w+ fail\w*|refused)
    \b(?:invalid|unknown|bad|unverified|illegal)\b.{0,20}\b(?:sender|return[ -]path|from address|mail from)
    \b(?:mail from|return[ -]path|from (?:address|domain|header))\b.{0,60}\b(?:invalid|reject\w*|not (?:exist|found|valid)|does ?n[o']t)
  `,

  // Rate limits and greylisting.
  saying('TooManyRecipients')`too many (?:recipients|rcpts?|addresses)`,
  saying('TransientFailure')`
    gr[ea]y[ -]?list\w*
    \bpostgrey\b
    try (?:it |me )?again in \d+
  `,
  saying('TransientFailure', '4xx')`
    too many (?:concurrent |simultaneous |open )?(?:connections?|sessions|messages|e-?mails|requests|errors)
    too (?:quickly|fast|much mail)
    rate[ -]?limit\w*
    \bthrottl\w*
    (?:connection|sending|message|mail) (?:rate|frequency)
    \btemporar(?:y|ily)\b.{0,40}\b(?:deferred|rejected|limited|unavailable|failure|problem|error)
  `,

  // The mailbox.
  saying('QuotaIssues')`
    \b(?:mailbox|inbox|account|user|recipient|maildrop)\b.{0,40}\b(?:full|over ?quota|over its quota|exceed\w*|out of (?:space|storage))
    \bover(?:[ -]?| the )quota\b
    \bquota\b.{0,30}\b(?:exceed\w*|reached|full|violation)
    \b(?:exceed\w*|reached)\b.{0,40}\bquota\b
    \bout of (?:storage|disk) (?:space)?
  `,
  saying('InactiveMailbox')`
    \b(?:mailbox|account|user|recipient|address)\b.{0,60}\b(?:disabled|inactive|suspended|deactivated|closed|locked|dormant|not active|no longer (?:active|valid|available|in use|accepts?)|expired|has moved|been (?:removed|deleted|blocked))
    \b(?:disabled|inactive|suspended|deactivated|closed|locked|dormant|expired)\b.{0,20}\b(?:mailbox|account|user|recipient)
  `,

  // The domain; before the mailbox, because "domain does not exist" is not about a user.
  saying('DNSFailure')`
    \b(?:dns|name server|nameserver|name service|mx)\b(?!\.).{0,60}\b(?:time[ds]? ?out|servfail|try again|temporar\w*|lookup (?:fail\w*|error)|unreachable)
    \b(?:temporar\w*|try again)\b.{0,60}\b(?:dns|resolv\w*|name service)
    \bservfail\b
    dns (?:error|failure|problem)
    mx (?:did ?n'?t|did not) resolve to any hosts
    host (?:name )?lookup (?:failed|did not complete)
    \b(?:unable|failed|could not|cannot) to? ?(?:resolve|look ?up)\b
  `,
  saying('BadDomain')`
    \bnull ?mx\b
    domain\b.{0,60}\b(?:not (?:found|exist|valid)|does ?n[o']t exist|unknown|invalid|no longer)
    \b(?:no such|unknown|invalid|nonexistent|non-existent|bad)\b.{0,20}\b(?:domain|host)\b
    \bhost not found\b
    \bnxdomain\b
    \bnot accept(?:ing)? (?:any )?(?:e-?)?mail\b(?!.{0,40}\b(?:from|your)\b)
    all relevant mx records point to non-?existent hosts
    \bno (?:valid )?(?:mx|mail exchanger)s?\b
  `,
  saying('InvalidRecipient')`
    \b(?:unknown|no such|invalid|nonexistent|non-existent|unrecogni[sz]ed|undeliverable|incorrect|bad)\b.{0,20}\b(?:user|recipient|mailbox|(?<!system )address|account|person|local[ -]?part|destination(?! system)|alias)\b
    \b(?:user|recipient|mailbox|address|account|alias|inbox|customer)\b.{0,80}\b(?:unknown|not (?:found|exist\w*|known|valid|listed)|does ?n[o']t exist|invalid|undeliverable|no longer exists?|could not be found|is ?n[o']t (?:known|valid))
    \b(?:no|not a valid|not our|not a) (?:mailbox|user|customer|recipient|such address)\b
    unroutable address|unrouteable address
    \bmailbox (?:is )?(?:unavailable|not available)\b
    \b(?:does ?n[o']t|not) (?:exist|have an? (?:account|mailbox))\b
    address rejected\b(?!.{0,80}(?:access denied|policy|try|again|temporar|delay|later|limit))
  `,
  saying('InvalidRecipient', '5xx')`\bmailbox\b.{0,20}\bunavailable\b`,

  // Routing and connections.
  saying('RoutingErrors')`
    \b(?:mail|routing|forwarding) loop\w*
    loops? back to (?:myself|itself)
    too many (?:hops|received)
    \bhop count\b
    \bunable to route\b|\bno route (?:for|to) (?:domain|recipient|address)
  `,
  saying('BadConfiguration')`
    \b(?:mis|bad |incorrect |wrong |server |local )config\w*
    \bcertificate\b.{0,60}\b(?:expired|verif\w*|invalid|mismatch|untrusted|not (?:trusted|verified))
    \bserver certificate\b
  `,
  saying('NoAnswerFromHost')`
    connect(?:ion)?\b.{0,80}\btimed out\b(?!.{0,20}\bwhile\b)
    \bno (?:answer|response|greeting) from\b
    no route to host
    (?:network|host) (?:is )?unreachable
    \boperation timed out\b
    failed to connect to any
    connect to .{1,120}: (?:network|host|no route)
    all hosts .{0,60}(?:failing|unreachable|down)
  `,
  saying('BadConnection')`
    connection (?:was )?(?:refused|reset|dropped|lost|closed|aborted|terminated|failed|rejected)
    \blost connection\b
    \b(?:broken pipe|unexpected eof|end of file|eof)\b
    \btimed? ?out\b.{0,40}\b(?:while|waiting|after|during)\b
    \b(?:while|waiting|after|during)\b.{0,60}\btimed? ?out\b
    \b(?:tls|ssl|starttls)\b.{0,60}\b(?:fail\w*|error|not (?:offered|available)|handshake|unavailable)
    remote (?:host|server) (?:closed|dropped)
    failed to send message
  `,
  saying('ProtocolErrors')`
    syntax error
    command\b.{0,30}\b(?:not (?:recogni[sz]ed|implemented|supported)|unrecogni[sz]ed|out of sequence|unknown|disabled)
    (?:unrecogni[sz]ed|unknown|unimplemented|unexpected|bad sequence of|invalid|improper use of) (?:smtp )?commands?
    bare (?:lf|newline|cr)\b
    line (?:is )?too long
    \b(?:smtputf8|8bitmime|eight[ -]?bit|non-ascii)\b
    pipelining
    missing (?:required )?headers?|headers?\b.{0,30}\b(?:missing|malformed|not rfc|invalid|duplicate)
  `,
  saying('TransientFailure', '4xx')`
    \btry (?:again )?later\b
    \btry again\b
    \bcome back later\b
    service (?:is )?(?:not available|unavailable|currently unavailable)
    insufficient (?:system )?(?:storage|resources|disk)
    \b(?:system|server|resources?)\b.{0,30}\b(?:busy|overload\w*|load|exhausted|shutting down|maintenance)
    local (?:error|problem)|internal (?:error|failure)|lookup failure
  `,
  saying('PolicyRelated')`
    \bpolic(?:y|ies)\b
    access (?:denied|not allowed)
    administrative(?:ly)? (?:prohibit\w*|denied|reject\w*|block\w*)
    \b(?:blocked|banned|prohibited|refused|rejected) by\b
    \bnot (?:accepted|allowed|permitted|authori[sz]ed)\b
    \bmail flood\b
    \bptr\b|reverse dns|\brdns\b|helo\b.{0,40}(?:reject|invalid|denied)
  `,

  // Enhanced status codes: RFC 3463 and the IANA registry. A code about the host never blames the recipient.
  { class: 'InvalidRecipient', enhanced: ['x.1.1', 'x.1.3', 'x.1.4', 'x.1.5', 'x.2.4', 'x.7.17'] },
  { class: 'BadDomain', enhanced: ['x.1.2', 'x.1.10', 'x.7.18'] },
  { class: 'InactiveMailbox', enhanced: ['x.1.6', 'x.2.1', 'x.7.13'] },
  { class: 'InvalidSender', enhanced: ['x.1.7', 'x.1.8', 'x.7.27'] },
  { class: 'QuotaIssues', enhanced: 'x.2.2' },
  { class: 'ContentRelated', enhanced: ['x.2.3', 'x.3.4', 'x.6.x'] },
  { class: 'TransientFailure', enhanced: ['x.3.0', 'x.3.1', 'x.3.2', 'x.4.5'], code: '4xx' },
  { class: 'BadConfiguration', enhanced: ['x.3.x', 'x.4.8'] },
  { class: 'NoAnswerFromHost', enhanced: 'x.4.1' },
  { class: 'BadConnection', enhanced: 'x.4.2' },
  { class: 'DNSFailure', enhanced: 'x.4.3' },
  { class: 'RoutingErrors', enhanced: ['x.4.4', 'x.4.6'] },
  { class: 'MessageExpired', enhanced: 'x.4.7' },
  { class: 'TooManyRecipients', enhanced: 'x.5.3' },
  { class: 'ProtocolErrors', enhanced: 'x.5.x' },
  {
    class: 'AuthenticationFailed',
    enhanced: ['x.7.8', 'x.7.9', 'x.7.20', 'x.7.21', 'x.7.22', 'x.7.23', 'x.7.24', 'x.7.25', 'x.7.26'],
  },
  { class: 'SpamContent', enhanced: 'x.7.19' },
  { class: 'PolicyRelated', enhanced: 'x.7.x' },

  // The three digits alone, where they have a single meaning (RFC 5321 section 4.2.3 and RFC 4954).
  { class: 'AuthenticationFailed', code: ['530', '534', '535', '538'] },
  { class: 'ProtocolErrors', code: ['500', '501', '502', '503', '504', '555'] },
  { class: 'BadDomain', code: '556' },
  { class: 'RelayDenied', code: '551' },
  { class: 'QuotaIssues', code: '552' },
  { class: 'InvalidRecipient', code: '553' },
  { class: 'TransientFailure', code: '4xx' },
]

/** A rule for texts that match one of the patterns, one per line, and that have the code, if it is given. */
function saying(bounceClass: BounceClass, code?: string): (patterns: TemplateStringsArray) => OwnRule {
  return ({ raw }) => {
    const text = raw
      .join('')
      .trim()
      .split(/\s*\n\s*/)
    return { class: bounceClass, text, ...(code !== undefined && { code }) }
  }
}
