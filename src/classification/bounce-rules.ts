/**
 * The built-in rules for failures that come without a class; the first match wins. A server's text is more specific than
 * its enhanced code, and that more than the three digits, which many servers choose carelessly: a plain 550 stays
 * uncategorized, because a wrong class could cost a valid address. Text rules about the sender or the message come
 * before those about the recipient: "recipient rejected: your IP is listed" is not about the recipient.
 */
import { RECEIVER_RULES } from './receiver-rules.ts'
import { type OwnRule, saying } from './text-rule.ts'

/** An address that may be the recipient's. */
const ADDRESS = String.raw`address(?<!\b(?:ip|ipv4|ipv6|sender|from|reply-to|return|source|sending|client|your|envelope|system) address)`

/** Limits on the rate, the volume or the connections. */
const LIMITS = saying('PolicyRelated')`
    too many (?:\w+ ){0,3}(?:connections?|sessions|messages|e-?mails|requests|errors)
    too (?:quickly|fast|much (?:e-?)?mail)
    rate[ -]?limit\w*
    \bthrottl\w*
    (?:connection|sending|sender|message|mail|ip|domain) (?:rate|frequency)
    at a rate that|\bexcessive volume\b
    \b(?:thread|relay|receive|sending|submission|outbound|queue|hourly|daily)\b.{0,20}\b(?:limit|quota)
    \bmessages?\b.{0,40}\bper (?:hour|minute|day|connection)\b
`

export const BOUNCE_RULES: readonly OwnRule[] = [
  // The sending server gave up, whatever the last failure was.
  saying('MessageExpired')`
    retry time ?out exceeded
    exceed\w* (?:the )?(?:max_age|expiry time|maximum (?:queue )?lifetime)
    (?:message|delivery(?: time)?|mail) (?:has )?expired
    could not be delivered for (?:too long|\d+ (?:hours?|days?))
    too long in (?:the )?queue
    in (?:the )?queue (?:for )?too long
    failing for a long time|long failure period|after multiple retries|allowed queue period
  `,

  ...RECEIVER_RULES,

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
    (?:message|mail|size|content)\b.{0,30}\b(?:too (?:large|big|long)|exceed\w*\b.{0,40}\b(?:size|limit|maximum))
    \bsize limits?\b(?<!mailbox.{0,30})
    (?:message|mail) size (?:has been )?exceeded
    \bline length\b
  `,

  // The sender: identity, network, permission. First the setup of the host that sends.
  saying('BadConfiguration')`
    \bptr\b|reverse (?:dns|lookup)|\brdns\b|\bforward dns\b|\bip name lookup\b
    find your (?:reverse )?host ?name
    helo\b.{0,40}\b(?:reject\w*|invalid|denied|unknown|not (?:exist|found|valid|resolve)|does ?n[o'’]t)|(?:invalid|bad|fake) helo
    \bcertificate\b.{0,60}\b(?:expired|verif\w*|invalid|mismatch|untrusted|not (?:trusted|verified))
    \bserver certificate\b
  `,
  saying('AuthenticationFailed')`
    \b(?:dmarc|dkim|spf|arc)\b.{0,80}\b(?:fail\w*|invalid|reject\w*|not (?:pass\w*|aligned|authorized|permitted|allowed|found)|policy|missing|required|error|none)
    \b(?:fail\w*|violat\w*|not pass\w*|violation of|due to|against|lacks?|without|no valid)\b.{0,60}\b(?:dmarc|dkim|spf)\b
    \bunauthenticated\b
    \b(?:must|needs?|not|be|fails?|failed)\b.{0,20}\bauthenticat(?:e|ed|ion)\b
    \bsmtp authentication\b|authentication (?:required|fail(?:ed|ure)|checks?|credentials|information|level|requirements)
    \b(?:dmarc|dkim|spf)\b.{0,80}n['’]t (?:pass|align)
    n['’]t align\w*\b.{0,60}\b(?:dmarc|dkim|spf)\b
    \b(?:no|pass|pass either) (?:dmarc|dkim|spf)\b
    requires?\b.{0,40}\bto authenticate\b
    sender policy framework|\bspf (?:settings|records?)\b
    \bnot authori[sz]ed to send\b(?!.{0,20}\bdirectly\b)
    must issue a? ?starttls
  `,
  saying('ContentRelated')`
    \b(?:missing|malformed|duplicate|multiple)\b.{0,40}(?:\bheaders?\b|\bfrom:)|\bheaders?\b.{0,30}\b(?:missing|malformed|not rfc|invalid|duplicate)
    \brfc[ -]?\d*\b.{0,20}\bcomplian
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
    spam (?:source|sender|ip)s?\b
    complaints? (?:from|rate)|user complaints
    \bblock(?:ed)? for (?:spam|abuse)
    \bblocked using\b
    \bip (?:address )?blocked\b
    (?:new|untrusted|unknown|dynamic|sender) ips?\b
    \bmail from your ip\b|\bopen prox(?:y|ies)\b
    unusual rate of (?:unsolicited )?mail
    \b(?:messages|mail) from\b.{0,60}\b(?:temporarily|permanently) deferred
    not authori[sz]ed to send .{0,20}directly
  `,
  saying('SpamContent')`
    \b(?:message|mail|content|e-?mail|this|it)\b.{0,60}\b(?:spam|unsolicited|junk)\b
    \b(?:classified|identified|considered|detected|flagged|tagged|recogni[sz]ed|rejected|marked|blocked)\b.{0,20}\b(?:spam|junk|bulk)\b
    \bspam\b.{0,20}\b(?:content|message|mail|score|detected|probability|filter)
    \bphish\w*
    \b(?:surbl|uribl|dbl)\b
    \b(?:url|link)s?\b.{0,40}\b(?:block|list|reject|prohibit)\w*
    mail content denied
    appears to be unsolicited
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
    \blocal users? only\b
    \brcpthosts?\b
    \bnon-local (?:e-?mail )?address|n['’]t handle mail for
  `,
  saying('RelayingIssues')`\brelay(?:ing|ed)?\b.{0,40}\b(?:error|fail\w*|problem|unavailable|not configured)`,
  saying('InvalidSender')`
    \bsender\b.{0,60}\b(?:reject\w*|denied|invalid|not (?:exist|found|(?:a )?valid|allowed|verified)|unknown|unresolv\w*|must exist|no (?:valid )?mx|does ?n[o'’]t|verif\w+ fail\w*|refused)
    \b(?:invalid|unknown|bad|unverified|illegal)\b.{0,20}\b(?:sender|return[ -]path|from address|mail from)
    \b(?:your|from|envelope|originating|sending|sender'?s?)(?: \w+)? domain\b.{0,60}\b(?:not (?:found|exist|valid|resolve)|does ?n[o'’]t|unresolv\w*|unknown|invalid|has no|without|no (?:valid )?mx)
    \bdomain\b.{0,30}\b(?:sending from|(?:of|in) (?:the |your )?(?:sender|from|mail from|return[ -]path|envelope))\b
    \bunresolvable\b.{0,30}\b(?:from|sender)\b
    \binvalid dns mx\b|\be-?mail address is not verified\b
    \bemetteur invalide\b|\bunrout(?:e)?able sender\b
    \b(?:mx|a) records?\b.{0,40}\b(?:sender|mail from|return[ -]path|envelope)\b
    \b(?:mail from|return[ -]path|from:? (?:address|domain|header))\b.{0,60}\b(?:invalid|reject\w*|not (?:exist|found|valid)|does ?n[o'’]t)
  `,

  // Rate limits and greylisting.
  saying('TooManyRecipients')`too many (?:recipients|rcpts?|addresses)`,
  saying('TransientFailure')`
    gr[ea]y[ -]?list\w*
    \bpostgrey\b
    try (?:it |me )?again in \d+
  `,
  saying('PolicyRelated')`
    \b(?:your|sender'?s?|sending)(?: \w+)? account\b.{0,40}\b(?:disabled|suspended|blocked|locked|closed)|sending for this account is disabled
    \bclient host rejected\b
    \bbatv\b|\bbackscatter\b
    \b(?:requires?|required|without|over a)\b.{0,60}\btls\b|\btls (?:is )?required\b
  `,
  { ...LIMITS, class: 'TransientFailure', code: '4xx' },
  saying('TransientFailure', '4xx')`
    \btemporar(?:y|ily)\b.{0,40}\b(?:deferred|rejected|limited|unavailable|failure|problem|error)
    \bunverified address\b|\bverification in progress\b
  `,
  // Without another attempt to come. Never the fault of the mailbox, whatever the enhanced code says.
  LIMITS,

  // The mailbox.
  saying('QuotaIssues')`
    \b(?:mailbox|inbox|account|user|recipient|maildrop)\b.{0,40}\b(?:full|over ?quota|over its quota|exceed\w*|out of (?:space|storage))
    \bover(?:[ -]?| the )quota\b
    \bquota\b.{0,30}\b(?:exceed\w*|reached|full|violation)
    \b(?:exceed\w*|reached)\b.{0,40}\bquota\b
    \bout of (?:storage|disk) (?:space)?
    \bexceeded storage allocation\b|\bdisk ?quota\b|\bover the allowed quota\b
    \bfull mailbox\b|\bmailfolder is full\b|\bboite du destinataire pleine\b
    \bnot enough (?:storage )?space\b|\bspace has been used up\b|\btoo many messages on the server\b
  `,
  saying('InactiveMailbox')`
    \b(?:mailbox|account|user|recipient|${ADDRESS})\b.{0,60}\b(?:disabled|inactive|suspended|deactivated|closed(?<!connection closed)|locked|frozen|archived|dormant|not active|no longer (?:active|valid|available|in use|accepts?)|expired|has moved|been (?:removed|deleted|blocked))
    \b(?:disabled|inactive|suspended|deactivated|closed|locked|dormant|expired|archived)\b.{0,20}\b(?:mailbox|account|user|recipient|(?:e-?mail )address)
    recipient account is ?blocked
  `,

  // The domain; before the mailbox, because "domain does not exist" is not about a user.
  saying('BadDomain')`\bnull ?mx\b`,
  saying('DNSFailure')`
    \b(?:dns|name server|nameserver|name service|mx)\b(?!\.).{0,60}\b(?:time[ds]? ?out|servfail|try again|temporar\w*|lookup (?:fail\w*|error)|unreachable)
    \b(?:temporar\w*|try again)\b.{0,60}\b(?:dns|resolv\w*|name service)
    \bservfail\b
    dns (?:error|failure|problem)
    mx (?:did ?n'?t|did not) resolve to any hosts
    host (?:name )?lookup (?:failed|did not complete)
    \bname or service not known\b
    \b(?:unable|failed|could not|cannot) to? ?(?:resolve|look ?up)\b
  `,
  saying('BadDomain')`
    domain\b.{0,60}\b(?:not (?:found|exist|valid)|does ?n[o'’]t exist|unknown|invalid|no longer)
    \b(?:no such|unknown|invalid|nonexistent|non-existent|bad)\b.{0,20}\b(?:domain|host)\b
    \bhost not found\b(?!, try again)
    \bhost unknown\b
    \bnxdomain\b
    \bnot accept(?:ing)? (?:any )?(?:e-?)?mail(?= *(?:$|[.;,)\]]))
    all relevant mx records point to non-?existent hosts
    \bno (?:valid )?(?:mx|mail exchanger)s?\b
  `,
  saying('InvalidRecipient')`
    \b(?:unknown|no such|invalid|nonexistent|non-existent|unrecogni[sz]ed|undeliverable|incorrect|bad)\b.{0,20}\b(?:user|recipient|mailbox|${ADDRESS}|account|person|local[ -]?part|destination(?! (?:system|host|domain))|alias)\b
    \b(?:user|recipient|mailbox|${ADDRESS}|account|alias|inbox|customer)\b.{0,80}\b(?:unknown|not (?:found|exist\w*|known|valid|listed)|does ?n[o'’]t exist|invalid|undeliverable|no longer exists?|could not be found|is ?n[o'’]t (?:known|valid))
    \b(?:no|not a valid|not our|not a) (?:mailbox|user|customer|recipient|such address)\b
    unroutable address|unrouteable address
    \bmailbox (?:is )?(?:unavailable|not available)\b
    \baddressee unknown\b|\baddresses were unknown\b|\bnot a known user\b|\bnot an active address\b
    \bno account by that name\b|\bno ?one at this address\b|\bno mail ?box available\b|\bnot present in directory\b|\bmailbox not present\b
    \bbadrcptto\b|\bbadrecipientto\b|\bvalidrcptto\b
    \butilisateur inconnu\b|\bno existe ese usuario\b|\bnessun utente\b|\busuario desconhecido\b|\bbenutzer unbekannt\b
    \b(?:does ?n[o'’]t|not) (?:exist\b(?<!\b(?:host|hostname|records?|file|rule|table|list|headers?)\b.{0,30})|have an? (?:[\w.-]+ )?(?:account|mailbox)\b)
    address rejected\W*$
    delivery error: dd\b
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
    connection (?:was )?(?:refused|reset|dropped|lost|closed|aborted|terminated|failed|rejected(?! by polic))
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
    pipelining|protocol violation
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
  `,

  // Enhanced status codes: RFC 3463 and the IANA registry. A code about the host never blames the recipient, and neither does
  // a code about the mailbox in an answer that asks for another attempt.
  { class: 'TransientFailure', enhanced: ['4.1.0', '4.1.1', '4.2.0', '4.2.1'], code: '4xx' },
  { class: 'InvalidRecipient', enhanced: ['x.1.1', 'x.1.3', 'x.1.4', 'x.1.5', 'x.2.4', 'x.7.17'] },
  { class: 'BadDomain', enhanced: ['x.1.2', 'x.1.10', 'x.7.18'] },
  { class: 'InactiveMailbox', enhanced: ['x.1.6', 'x.2.1', 'x.7.13'] },
  { class: 'InvalidSender', enhanced: ['x.1.7', 'x.1.8', 'x.7.27'] },
  { class: 'QuotaIssues', enhanced: 'x.2.2' },
  { class: 'ContentRelated', enhanced: ['x.2.3', 'x.3.4', 'x.6.x'] },
  { class: 'TransientFailure', enhanced: ['x.3.0', 'x.3.1', 'x.3.2', 'x.4.5'], code: '4xx' },
  { class: 'BadConfiguration', enhanced: ['x.3.x', 'x.4.8', 'x.7.25'] },
  { class: 'NoAnswerFromHost', enhanced: 'x.4.1' },
  { class: 'BadConnection', enhanced: 'x.4.2' },
  { class: 'DNSFailure', enhanced: 'x.4.3' },
  { class: 'RoutingErrors', enhanced: ['x.4.4', 'x.4.6'] },
  { class: 'MessageExpired', enhanced: 'x.4.7' },
  { class: 'TooManyRecipients', enhanced: 'x.5.3' },
  { class: 'ProtocolErrors', enhanced: 'x.5.x' },
  {
    class: 'AuthenticationFailed',
    enhanced: ['x.7.8', 'x.7.9', 'x.7.20', 'x.7.21', 'x.7.22', 'x.7.23', 'x.7.24', 'x.7.26', 'x.7.509', 'x.7.515'],
  },
  { class: 'SpamContent', enhanced: 'x.7.19' },
  { class: 'PolicyRelated', enhanced: 'x.7.x' },

  // The three digits alone, where they have a single meaning (RFC 5321 section 4.2.3 and RFC 4954). 553 is not among them: large
  // receivers use it for blocks.
  { class: 'AuthenticationFailed', code: ['530', '534', '535', '538'] },
  { class: 'ProtocolErrors', code: ['500', '501', '502', '503', '504', '555'] },
  { class: 'BadDomain', code: '556' },
  { class: 'RelayDenied', code: '551' },
  { class: 'QuotaIssues', code: '552' },
  { class: 'TransientFailure', code: '4xx' },
  { class: 'TransientFailure', enhanced: '4.x.x' },
]
