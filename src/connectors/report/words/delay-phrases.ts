/** How mail systems say that a message is late and will be retried, and that they have given up. */
import { phrases } from './folded-text.ts'

/** Promises to try again. */
export const DELAYS: readonly RegExp[] = [
  phrases(
    "warning message only|this is (?:only |just )?a (?:delay |delivery )?warning|no action is required (?:on your part|from you)|(?:do not|don't) need to (?:re-?send|send)|not necessary to re-?send",
    "(?:we|it|i|server|system|message|mail|attempts|program|mta|software)(?: will|'ll) (?:be (?:retried|re-?tried|tried again|attempted)|continue|keep (?:trying|attempting)|try (?:again|to deliver)|retry|re-?attempt)",
    'will (?:keep|continue) (?:on )?(?:trying|attempting|to (?:try|attempt|retry|be))|will be (?:retried|re-?tried|tried again)|attempts (?:to deliver ~ )?will (?:be made|continue)|still (?:being retried|trying|in the queue|queued|attempting)|continu(?:e|ing) to (?:try|attempt)|next attempt will',
    '(?:has|have|was|were) not (?:yet )?been delivered (?:to ~ )?(?:yet|after more than|for more than)|not yet (?:been )?delivered|is (?:still )?delayed|has been delayed|have been delayed|was delayed|delayed delivery|temporary failure report|only a temporary (?:failure|problem|error)|delivery is delayed',
    'verzogert|verzoegert|noch nicht (?:zugestellt|ausgeliefert)|weitere (?:zustell)?versuche|erneut versuch|weiterhin versuch|zustellversuche werden',
    "a ete (?:retarde|differe)|est (?:retarde|differe)|n'a pas encore ete|nouvelle(?:s)? tentative|sera (?:retente|reessaye|renouvele)|va continuer|continuera",
    'se (?:seguira|volvera a|continuara) ~intent|(?:ha sido |esta |fue |se ha )(?:retrasad|demorad|aplazad)|aun no (?:se )?(?:ha |pudo )|todavia no (?:se )?ha|proximo intento|continuar(?:a|emos) (?:tentando|intentando|a tentar)|sera tentad|novas? tentativas?|ainda nao (?:foi|pode)|(?:foi |esta )(?:atrasad|adiad)',
    'in ritardo|ritardat|verranno effettuati|sara riprovat|ulteriori tentativi|vertraagd|vertraging|opnieuw (?:proberen|geprobeerd)|nog niet (?:afgeleverd|bezorgd)|forsinket|forsenad|opoznion|kolejn~ prob|отложен|задерж|попытки (?:доставки )?(?:будут|продолж)|еще не доставлен|повторн~ попыт',
    '遅延|遅れて|再送を(?:試み|続け|行)|再度送信|配信を(?:継続|続け|試み)|送信を(?:継続|続け)|まだ(?:配信|送信|届)|稍后(?:会|将)|重试|延迟|延遲|지연|재시도',
  ),
]

export const DELAY_SUBJECTS: readonly RegExp[] = [
  phrases(
    '\\bdelay|^warning|\\(delay\\)|not yet delivered|temporar|could not send (?:message|mail) for past|still (?:undelivered|in queue|queued|retrying|pending)|pending',
    'verzoger|verzoeger|retard|differe|retras|demor|aplazad|atras|ritard|vertraag|vertraging|forsink|forsen|opozn|отложен|задерж|遅延|延迟|延遲|지연',
  ),
]

/** The end of all attempts, in the past or for good. Stronger than a promise, which such texts may quote. */
export const ENDINGS: readonly RegExp[] = [
  phrases(
    "(?<!not a )(?:permanent|fatal) (?:fatal )?(?:error|failure|problem)|permanent error|failed permanently|permanently failed|had permanent|i(?:'ve| have) given up|giving up|gave up|no further (?:delivery )?attempts|not (?:going to|be) (?:try|tried|retried) again|will not (?:be )?(?:retr|tr(?:y|ied) again)|won't (?:be )?retr|in the queue too long|(?:retry|delivery) time(?:out)? (?:exceeded|expired)|(?:retry|queue) timeout|maximum (?:retry|time|number)|all attempts|(?:was|were) aborted",
    'endgultig|dauerhaft|definitivement|abandonn|definitiv[ao]|permanente|no se volvera|nao sera (?:mais )?tentad|окончательн|再送(?:いたしません|しません|は行)',
  ),
]

/** Reports of a success, which some systems send without being asked. */
export const SUCCESSES: readonly RegExp[] = [
  phrases(
    'successfully (?:delivered|relayed|sent)|(?:was|were|has been|have been) (?:successfully )?(?:delivered|relayed) (?:to|successfully)|delivery status notification \\(?(?:success|relay)|notification \\(success\\)|success(?:ful)? (?:delivery|mail delivery)|delivery (?:report|confirmation|receipt)?:? ?(?:ok|success|successful|confirmed)|^delivered:|^relayed:|^zugestellt:|^remis ?:|^entregado:|^entregue:|^recapitato:',
    'erfolgreich zugestellt|wurde zugestellt|a ete (?:remis|distribue|livre) (?:avec succes|a)|(?:ha sido|fue) entregado|foi entregue|e stato consegnato|успешно доставлен|配信されました|投递成功',
  ),
]
