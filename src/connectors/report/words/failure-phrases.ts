/** How mail systems say that a message was not delivered, in the languages of the large ones. */
import { phrases } from './folded-text.ts'

/** Statements that the message was not delivered; in subjects and in texts. */
export const FAILURES: readonly RegExp[] = [
  phrases(
    "(?:could|can|was|were|has|have|had|is|did|does|will)(?: ?not|n't) (?:be |been |yet been |yet be )?(?:able to be )?(?:successfully |properly )?(?:deliver|reach|transmitted|returned|forwarded|accepted|sent)",
    "(?:unable|not able|wasn't able|weren't able|impossible|failed|fail|attempt(?:ed|ing)?|trying|tried|trouble|problems?|errors?) (?:to |in |while |when |occurred ~)?(?:send|sending|deliver|relay|transmit|transfer)",
    '(?:deliver[ye]|delevery)(?: of| to)?(?: ~)? (?:has |have )?(?:permanently )?fail',
    '(?:delivery|mail|mailer|message|transfer|transport) (?:status )?(?:notification )?(?:report )?(?:failure|error|problem)',
    '(?:deliver[ye]|delevery)(?: of| to)? ~ was aborted',
    '(?:failed|failure|error|errors|problem|problems|rejected|non|unsuccessful)[ -]*(?:in |of |with |during )?(?:mail |message |e-?mail )?deliver',
    'had (?:delivery |permanent |fatal |permanent fatal )+(?:errors|problems)',
    'undeliver|non-?deliver|not[- ]delivered|undeliverable|unzustellbar',
    'did not (?:reach|like)|not reach the (?:following|intended)',
    "couldn't be (?:delivered|found|reached|sent)",
    '(?:mail|message|e-?mail|letter) (?:was |has been |is being |is )?(?:returned|bounced|rejected|refused|blocked)',
    'return(?:ed|ing) (?:mail|message|e-?mail|to sender|to you)',
    'rejected (?:your|the|this) (?:mail|message|e-?mail)|(?:mail|message) rejected',
    'has been (?:rejected|returned|refused|bounced|discarded)',
    '(?:recipient|address|addresses|user|mailbox)(?:es)?(?:s|\\(s\\)|\\(es\\))? (?:has |have |that )?(?:failed|returned permanent errors|was rejected|were rejected|was refused)',
    'address(?:es)? (?:had|with) (?:permanent|fatal|delivery)',
    'delivery status notification:? ?\\(?(?:failure|error)',
    'error sending your (?:mail|message)',
    'each of the following recipients was rejected',
    'not delivered to|did not receive this message|cannot deliver|can not deliver|will not be delivered',
  ),
  phrases(
    'nicht (?:zugestellt|ausgeliefert|zustellbar|ubermittelt|versendet|ausgefuhrt|erreicht)',
    'konnte ~ nicht ~ (?:werden|zustellen)',
    'zustell(?:ung|fehler|ungs?fehler)~(?:fehl|nicht moglich|gescheitert)|zustell(?:ungs)?fehler|fehler bei der zustellung',
    'unzustellbar|zustellung (?:ist )?(?:endgultig )?(?:fehlgeschlagen|gescheitert|nicht moglich)',
    'empfanger (?:ist |wurde )?(?:nicht gefunden|unbekannt|abgelehnt)',
    '(?:nachricht|e-?mail|mail) (?:wurde |ist )?(?:zuruckgewiesen|abgewiesen|abgelehnt|zuruckgesandt)',
  ),
  phrases(
    "n'a (?:pas |pu )(?:pu )?(?:etre )?(?:remis|distribue|livre|delivre|achemine|transmis|envoye|atteindre|abouti)",
    "(?:n'ont|n'est|ne peut|n'a) pas (?:pu )?(?:etre )?(?:remis|distribue|livre|delivre|achemine|transmis|joint)",
    '(?:non|pas) (?:remis|distribue|delivre|distribuable|livre)',
    "(?:echec|erreur|probleme) (?:de |d'|lors de )(?:la |l')?(?:remise|distribution|livraison|delivrance|acheminement|envoi)",
    "impossible (?:de |d')(?:remettre|livrer|delivrer|distribuer|acheminer|transmettre)|retour(?:ne)? a l'expediteur|avis de non[- ](?:remise|distribution)",
  ),
  phrases(
    'no (?:se )?(?:ha |han )?(?:podido|pudo|pudieron|puede|pueden|fue posible|ha sido posible) ~(?:entreg|enviar|llegar|ser entregad)',
    'no (?:fue|ha sido|fueron|pudo ser) entregad|no entregad|imposible (?:de )?entregar|fall(?:o|ida|o en) (?:la |de |en la )?entrega',
    '(?:error|fallo|problema) (?:de|en la|al) (?:la )?(?:entrega|entregar)|entrega fallida|(?:correo|mensaje) (?:ha sido )?(?:devuelto|rechazado)|devuelto al remitente',
    'nao (?:foi|pode|pudemos|foi possivel|conseguimos|p[ou]de ser|foram) ~(?:entreg|enviar|enviad)|nao entregue|falha (?:na|de|ao|no) (?:entreg|envi)|devolvid[ao] ao remetente|mensagem devolvida|erro (?:de|na|no) (?:entrega|envio)',
  ),
  phrases(
    'mancat[ao] (?:consegna|recapito)|(?:recapito|consegna) (?:non riuscit|fallit)|impossibile (?:recapitare|consegnare|inviare)|non (?:e stato possibile |puo essere |e stato )(?:consegna|recapita|inviare)|non recapitabile|errore di (?:consegna|recapito)',
    'onbestelbaar|niet (?:worden )?(?:afgeleverd|bezorgd|besteld)|(?:aflevering|bezorging|levering) (?:is )?mislukt|kon niet worden (?:afgeleverd|bezorgd|verzonden)',
    'kunde inte (?:levereras|skickas)|olevererbar|ej levererbar|misslyckad leverans|kunne ikke (?:leveres|sendes)|kan ikke leveres|uleveret|mislykket levering|ikke leveret|leveringsfeil',
    'ei voitu (?:toimittaa|valittaa)|toimitus epaonnistui|nie (?:mo[zż]na|mog[lł]a zosta[cć]|zosta[lł][ao]?) (?:by[cć] )?dor[eę]?cz|nie (?:uda[lł]o sie |mo[zż]na )(?:dostarczy|dor[eę]czy)|niedor[eę]czon|nie dostarczon|niedostarcz|zwrot (?:wiadomosci|poczty)',
    'nedorucit|nedorucen|nelze dorucit|nepodarilo se dorucit|nebyl[ao]? (?:mozne )?doruc|kezbesithetetlen|sikertelen kezbesites|nem (?:sikerult )?kezbesit',
    'teslim edilemedi|iletilemedi|gonderilemedi|nu a putut fi (?:livrat|trimis)|nelivrabil|gagal (?:terkirim|dikirim)|tidak (?:dapat )?(?:terkirim|dikirim)',
  ),
  phrases(
    'не (?:может быть |могло быть |было |был |была |удалось |)(?:доставлен|доставить|отправлен)|недоставлен|сбо[ий] (?:при )?доставк|ошибка (?:при )?доставк|невозможно доставить|не вдалося доставити|возвращен[оа] отправителю',
    'δεν (?:μπορεσε να |ηταν δυνατη η |)παραδο|αποτυχια παραδοσης|تعذر (?:تسليم|إرسال)|لم يتم (?:تسليم|إرسال)|فشل (?:تسليم|التسليم)|לא ניתן (?:למסור|לשלוח)|נכשלה|ההודעה לא נמסרה',
  ),
  phrases(
    '(?:配信|配送|送信|送達|お届け|転送|届け|配達|伝送)(?:する(?:こと)?が|が|を|に|も|は)?(?:でき|出来)(?:ません|なかった|ない)',
    '(?:配信|配送|送信|送達|お届け|転送)に失敗|(?:配信|配送|送信)(?:エラー|不能)|届きませんでした|届けられません|メールエラー|エラーメール|未達|宛先不明|見つかりませんでした|存在しません|リターンメール|返送',
    '退信|无法(?:投递|送达|发送|递送)|投递(?:失败|错误)|发送失败|未(?:能)?送达|未能(?:投递|发送)|被退回|無法(?:投遞|傳遞|傳送|送達|寄送)|投遞失敗|傳送失敗|未送達|被拒收|拒收',
    '반송|(?:전송|배달|발송|전달|송신)(?:에|을|이|에 )? ?(?:실패|불가|되지|할 수 없)|수신자를 찾을 수',
  ),
]

/** Short subjects that say so, but are too general for a text. */
export const FAILURE_SUBJECTS: readonly RegExp[] = [
  phrases(
    '^(?:re: ?)?(?:failure|fail) (?:notice|notification|delivery)|^failed |^failure|^bounce|^error (?:sending|deliver)|^rejected|^blocked|^mail system error|^dsn|^ndr',
    'returned mail|mail returned|return(?:ing)? to sender|user unknown|unknown user|mailbox full|over quota|mail failure|mail error|delivery report|delivery error',
    'ruckl[ae]ufer|fehlermeldung|^retour |devuelt|devolvid|devolucion|^rebut|^zwrot|^возврат',
  ),
]

/** Reasons that servers give. They are not proof of a bounce by themselves, but they are the words to keep. */
export const REASONS: readonly RegExp[] = [
  phrases(
    '(?:user|recipient|account|address|mailbox|host|domain|alias|destination)s?(?: ~)? (?:is |was |are |name is |name |does )?(?:unknown|not (?:found|known|exist|recogni[sz]ed|listed|local|available|unique|active|valid|allowed|accept)|unavailable|disabled|inactive|suspended|rejected|refused|invalid|discontinued|expired|full|deactivated|closed|blocked|locked|terminated)',
    '(?:unknown|invalid|no such|bad|illegal|non-?existent|unrouteable|unroutable|inactive|disabled|undefined) (?:final delivery )?(?:user|recipient|account|address|mailbox|host|domain|alias|destination|local part|name|valid recipients)',
    "(?:doesn't|does not|do not|don't) (?:exist|have an?|accept|like|receive)|no longer (?:exists?|available|valid|active|accept|in use)|not listed in|no mailbox|no valid recipients|isn't (?:a|valid)",
    '(?:over|exceed(?:s|ed|ing)?|out of) (?:its |the |their |allowed |storage |disk |local )*(?:quota|limit|size|storage|space|allocat)|(?:mailbox|mailfolder|inbox|folder|quota|disk) (?:is |has )?(?:full|exceeded)|too (?:big|large|long|many)|limit exceeded',
    'timed? ?out|timeout|expired|not responding|connection (?:refused|reset|failed|lost|closed)|(?:host|name) (?:lookup|service|unreachable)|unreachable|not reachable|network (?:error|problem)|loop|too many hops|mail loops',
    'access denied|relay(?:ing)? (?:denied|not|access|prohibited)|not (?:permitted|authori[sz]ed|allowed)|permission|blacklist|block(?:ed| ?list)|(?:spam|virus|policy) (?:detected|found|reasons?|violation|content|rejected|blocked)|(?:as|detected|contain(?:s|ed|ing)?|found) (?:a )?(?:spam|virus)|prohibited|refused|rejected|banned|denied',
    'unbekannt|existiert nicht|nicht (?:gefunden|bekannt|vorhanden)|(?:postfach|mailbox|speicherplatz|quota)~(?:voll|uberschritten|erreicht|erschopft)|kontingent|abgelehnt',
    "inconnu|n'existe pas|introuvable|(?:boite|boite aux lettres|quota)~(?:pleine|depasse|atteint)|refuse",
    'desconocid|no existe|inexistente|(?:buzon|cuota|bandeja)~(?:llen|excedid|superad)|rechazad|desconhecid|nao existe|nao encontrad|(?:caixa|cota|quota)~(?:chei|excedid|lotad)|rejeitad',
    'sconosciut|non esiste|inesistente|casella~piena|onbekend|bestaat niet|mailbox~vol|не (?:существует|найден)|неизвестн|переполнен|nieznan|nie istnieje|neexistuje|neznam',
    '見つかり|存在し|一杯|いっぱい|容量|不明|拒否|不存在|已满|满|用户|找不到|已停用|拒绝|不存在|찾을 수|존재하지|초과',
  ),
]
