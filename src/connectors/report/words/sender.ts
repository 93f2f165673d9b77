/** Who wrote a message: a mail system, judged by From and the envelope sender. */
import { decodeHeaderText } from '../../shared/header-text.ts'
import type { MimeMessage } from '../mime/mime-message.ts'
import { foldText } from './folded-text.ts'

const LENGTH_MAX = 500

/** Names of mailboxes that mail systems write from. */
const SYSTEM_MAILBOX =
  /(?:^|[\s<"(,:])(?:"?[\w.+-]{0,40}(?:mailer|mail|smtp|delivery)[._-]?(?:daemon|deamon|demon)|post[._-]?(?:master|maestro)[\w.-]{0,20}|[\w-]{0,20}double-bounce|mail[._-]?delivery(?:[._-]?(?:sub)?system)?|mail[._-]system|mdaemon|mmdf|undeliver(?:able|ed)|ndr|dsn|non-?delivery|mailsystem|maildelivery|mta|[\w.-]{0,40}smtp[\w.-]{0,40}|[\w.-]{0,20}(?:mail|virus|spam)[._-]?(?:service|gateway|gw|wall|guard|filter|scanner)[\w.-]{0,20})(?:"?@|>|\s|$)/
/** Names of mail systems as people read them. */
const SYSTEM_NAME =
  /mail(?:er)? ?(?:delivery|deliver|transfer|transport|router|administrator|gateway|server)|delivery (?:sub)?system|delivery (?:service|agent|status|notification|report)|mail ?(?:sub)?system|mailer[- ]?daemon|system ?administrator|systemadministrator|administrateur syst|postmaster|email system|mail admin|\bndr\b|internet mail|e-?mail interconnect|non-?delivery|メール(?:配信|システム|サーバ)|почтов|邮件系统|郵件系統/

export interface Sender {
  /** Whether From names a mail system rather than a person or another program. */
  readonly isMailSystem: boolean
  /**
   * Whether the envelope sender is empty, as RFC 5321 section 4.5.5 requires of bounce messages; undefined if it is not
   * recorded.
   */
  readonly isNull: boolean | undefined
}

export function findSender(mime: MimeMessage): Sender {
  const from = foldText(decodeHeaderText(mime.header('from') ?? '').slice(0, LENGTH_MAX))
  const path = mime.header('return-path')?.slice(0, LENGTH_MAX).trim().toLowerCase()
  return {
    isMailSystem:
      from === '' || /^(?:"[^"]{0,100}" )?<\s*>$/.test(from) || SYSTEM_MAILBOX.test(from) || SYSTEM_NAME.test(from),
    isNull: path === undefined ? undefined : path === '' || path === '<>' || SYSTEM_MAILBOX.test(path),
  }
}
