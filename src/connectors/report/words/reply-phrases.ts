/** Phrases of automatic replies: out-of-office replies, receipts, tickets, challenges, moderation. */
import { phrases } from './folded-text.ts'

/** Subjects of out-of-office replies and read receipts. The original subject may follow, so their position counts. */
export const REPLY_SUBJECTS: readonly RegExp[] = [
  phrases(
    '\\bauto(?:matic|mated|mat)?[- ]?(?:reply|response|responder|respond|answer|notification of absence)\\b|\\bautoreply|\\bautoresponse|\\bout[- ]of[- ](?:the[- ])?office|\\booo\\b|\\bvacation|\\bon (?:annual |maternity |parental |sick |medical )?leave\\b|\\baway (?:from|until)|\\babsen[ct]|\\bholiday',
    'abwesenheit|abwesend|automatische antwort|automatische ruckantwort|autom\\. antwort|nicht im (?:buro|haus)|urlaub|eingangsbestatigung|empfangsbestatigung|lesebestatigung|^gelesen:|^nicht gelesen|ungelesen geloscht',
    "reponse automatique|absence du bureau|absent[e]? du|message d'absence|accuse de (?:reception|lecture)|^lu ?:|^non lu ?:|en conges?\\b",
    'respuesta automatica|fuera de (?:la )?oficina|ausencia|ausente|acuse de recibo|^leido:|^no leido|resposta automatica|fora do escritorio|ferias|confirmacao de (?:leitura|recebimento|envio)|^lida:|^nao lida',
    'risposta automatica|fuori (?:sede|ufficio)|assenza|assente|conferma di lettura|^letto:|automatisch antwoord|afwezig|automatisk(?:t)? svar|autosvar|franvaro|fravar|poissa|automaattinen vastaus|odpowied[zź] automatyczna|poza biurem|automaticka odpoved|automatikus valasz|otomatik yan[ıi]t|raspuns automat',
    'автоответ|автоматический ответ|отпуск|прочитано|自动回复|自動回覆|自動回复|自动答复|休假|自動応答|自動返信|不在|開封(?:確認|済み|通知)|休暇|자동 ?(?:응답|회신)|부재',
    '^read:|^not read:|read receipt|return receipt|read notification|message read|disposition notification|your (?:message|e-?mail) was (?:read|displayed|opened)',
  ),
]

/** Subjects of tickets, challenges and notices. A bounce message may quote an original subject like these. */
export const DESK_SUBJECTS: readonly RegExp[] = [
  phrases(
    "\\bticket\\b|\\bcase (?:#|number|id|created|opened)|\\[#|\\[(?:ticket|case|request|support)|request (?:received|#|\\[|number)|we(?: have|'ve)? received your|thank(?:s| you) for (?:your|contacting|writing|getting)|(?:e-?mail|message) received|received: |acknowledg(?:e)?ment|^confirm|please confirm|confirmation (?:required|needed|request)|verify your|please verify|sender verification|verification required|verify#|challenge|action required|approve|moderat(?:or|ion)|awaiting|awaits|held for|quarantine|whitelist|anti-?spam (?:uol|check)|boxtrapper|spam ?arrest|unsubscribe|subscri(?:be|ption)|change of (?:e-?mail )?address|new e-?mail address|address (?:has )?changed|no longer (?:with|works)",
    'ihre (?:anfrage|nachricht|e-?mail) (?:ist|bei)|vielen dank fur|neue e-?mail-?adresse|neue mailadresse|adressanderung|votre (?:demande|message)|nous avons (?:bien )?recu|merci (?:de|pour)|nouvelle adresse|hemos recibido|gracias por|nueva direccion|recebemos|obrigad[oa] por|novo e-?mail|grazie per|abbiamo ricevuto|bedankt voor|спасибо за|ваш(?:е|а) (?:заявк|обращени|письмо получено)|お問い合わせ|受付(?:完了|のお知らせ|いた)|ありがとうございます|受け付け',
  ),
]

/** In texts: people who are away, or have moved. */
export const ABSENCES: readonly RegExp[] = [
  phrases(
    "out of (?:the |my )?office|out-of-office|on (?:vacation|holiday|annual leave|leave|maternity leave|parental leave|sick leave|paternity|sabbatical|a business trip)|i(?: am|'m| will be) (?:currently |presently |now )?(?:away|out|on|off|travel+ing|unavailable|not available|not in|back)|(?:be|am) back (?:in|on)|limited access to (?:my )?e-?mail|upon my return|when i (?:return|get back)|away from (?:my|the|e-?mail)|during my absence|in my absence|i will (?:respond|reply|answer|get back|return)|will (?:respond|reply|get back) to (?:you|your)|auto-?(?:matic(?:ally)?(?: generated)? )?(?:reply|response|responder|answer)\\b|vacation (?:message|reply|program)",
    '(?:no longer|not) (?:be )?(?:work(?:s|ing)?|employed|with (?:the|our|us)|at (?:the|our) (?:company|firm))|has (?:left|retired)|left the (?:company|organi[sz]ation|firm)|(?:my|new) (?:new )?e-?mail address is|please (?:use|update|note) (?:my|the|our) new|(?:address|mailbox|inbox|account) is (?:no longer |not )(?:being )?(?:monitored|read|checked|attended)|unattended|unmonitored|not monitored',
    'nicht im (?:buro|haus|hause)|(?:im|in) (?:urlaub|elternzeit|mutterschutz)|abwesen|bin (?:ab|wieder|erst|derzeit|zur ?zeit|bis|vom|momentan|am|ich)|ich bin|wieder (?:erreichbar|im buro|fur sie da)|nicht (?:erreichbar|mehr (?:im unternehmen|bei|fur))|ausgeschieden|wird nicht (?:gelesen|weitergeleitet|bearbeitet)|automatische antwort|vertretung',
    "je suis (?:actuellement |absent|en)|absent(?:e)? (?:du|jusqu)|en conges?\\b|de retour|en mon absence|reponse automatique|ne (?:travaille|fait) plus|a quitte|n'est plus (?:consulte|lu)",
    'estoy (?:fuera|de vacaciones|ausente)|estare (?:fuera|ausente|de)|de vacaciones|en mi ausencia|respuesta automatica|fuera de la oficina|ya no (?:trabaja|labora)|estou (?:fora|ausente|de ferias)|estarei (?:fora|ausente|de)|em ferias|na minha ausencia|resposta automatica|nao trabalha mais|retorn(?:o|arei) (?:em|no|dia)',
    'sono (?:assente|fuori|in ferie)|saro (?:assente|fuori|in)|in mia assenza|risposta automatica|non lavora piu|ik ben (?:afwezig|op vakantie|niet)|met vakantie|niet meer werkzaam|jag (?:ar|har) (?:semester|ledig|borta|inte)|pa semester|jeg er (?:pa ferie|ikke|vaek|bortreist)|olen lomalla|poissa|jestem (?:nieobecn|na urlopie|poza)|na urlopie|jsem (?:mimo|na dovolene)|dovolene|szabadsag|ofis d[ıi]s[ıi]nda|izinde|concediu',
    'нахожусь в отпуске|в отпуске|отсутству|автоответ|больше не работает|我(?:正在|目前|将)?(?:休假|外出|出差|不在)|自动回复|休假|不在(?:办公室|です|にして|のため)|休暇|自動(?:応答|返信)|출장|휴가|부재중|자동 ?(?:응답|회신)',
  ),
]

/** In texts: receipts and tickets. The message was accepted. */
export const RECEIPTS: readonly RegExp[] = [
  phrases(
    "(?:we|i)(?: have|'ve)? (?:successfully )?received your|your (?:message|e-?mail|mail|request|inquiry|enquiry|submission|question) (?:has been|was|is being) (?:received|forwarded|assigned|logged|registered|passed|processed|read|opened|displayed|deleted without)|thank(?:s| you)(?: very much)? for (?:your (?:e-?mail|message|inquiry|enquiry|interest|mail|request|patience)|contacting|writing|getting in touch|reaching out)|ticket (?:number|id|#|has been|was|reference)|(?:case|reference|request|support) (?:number|id|#)|a (?:new )?(?:support )?(?:ticket|case|request) (?:has been|was) (?:created|opened)",
    '(?:eingegangen|erhalten)(?: und|\\.)|haben ihre ~(?:erhalten|anfrage)|vielen dank fur ihre|bearbeitungsnummer|vorgangsnummer|ticketnummer|(?:wurde|ist) ~gelesen|ungelesen geloscht',
    'avons bien recu|a bien ete (?:recu|pris)|nous vous remercions|merci (?:de|pour) votre|numero de (?:ticket|dossier|demande)|a ete (?:lu|affiche|ouvert)|hemos recibido|gracias por (?:su|contactar|escribir|tu)|numero de (?:caso|ticket|incidencia)|fue leido|recebemos (?:sua|seu|a sua|o seu)|agradecemos (?:o|seu|sua|pelo)|obrigad[oa] (?:por|pelo)|protocolo|foi lida|abbiamo ricevuto|grazie per|e stato letto|bedankt voor|hebben (?:uw|je) ~ontvangen|ontvangen|dziekujemy|otrzymali|dekujeme|прочитано|получили ваше|спасибо за|номер (?:заявки|обращения)|зарегистрирован',
    '受け付け(?:ました|いたしました)|受付(?:いたし|完了|番号)|お問い合わせ(?:いただき|ありがとう|を受)|開封(?:され|しました)|ありがとうございます|已收到|感谢您|收到您的|접수되었|문의해 주셔서',
  ),
]

/** In texts: challenges, moderation and quarantines. The message waits for somebody. */
export const CHALLENGES: readonly RegExp[] = [
  phrases(
    "(?:to|please|must|need to|have to) (?:confirm|verify|authenticate|validate) (?:that )?(?:you (?:are|sent|want|did|wish|really)|your (?:identity|message|e-?mail to|own|sender)|delivery|this (?:message|e-?mail|mail|request))|confirm (?:that )?(?:you (?:are|sent)|your (?:message|identity|address|e-?mail))|click (?:on )?(?:the |this |below |here )?(?:link |button |url )?(?:below |here )?(?:to|and) (?:confirm|verify|deliver|release|complete|have|prove|send)|(?:reply|respond) to this (?:message|e-?mail|mail) (?:to|and|so|with(?:out)?|unchanged)|(?:just|simply) (?:hit|press|click) reply|prove (?:that )?you(?: are|'re) (?:a )?human|(?:awaits|awaiting|waiting for|pending|requires?) (?:moderator|moderation|approval|confirmation|review|your (?:approval|confirmation))|held (?:for|until|pending)|await(?:s|ing) moderat|challenge[/ -]response|tmda|boxtrapper|spam ?arrest|(?:has been|was|were) (?:placed |put |held )?in (?:the )?quarantine|(?:been|was|is) quarantined|release (?:it|your|the) (?:message|from)",
    'bestatigen sie (?:bitte )?(?:ihre|dass|den|die)|veuillez confirmer|pour confirmer (?:l.envoi|votre)|confirme (?:su|que|o envio)|confirmar (?:su|o envio|o seu|el envio)|confirmacao de envio|haga clic ~(?:confirmar|entregar)|clique ~(?:confirmar|liberar|entrega)|conferma ~(?:invio|identita)|подтвердите (?:отправку|что)|送信(?:を)?確認|承認(?:待ち|が必要)',
  ),
]
