"""How assistants talk about a translation instead of giving it: small tables for many languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple


class Talk(NamedTuple):
    """What a language says about translating, in small letters.

    `translate` are beginnings of words for translating, `refuse` an expression for declining, `notes` are
    labels of notes, `names` what the language calls itself and English, as in the label `Czech:`.
    """

    translate: tuple[str, ...]
    refuse: str
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


_EN_CANNOT = (
    r"(?:can(?:no|['’]?)t|can not|unable to|not able to|won['’]?t|will not|not (?:feel )?comfortable"
    r"|(?:do not|don['’]t) (?:feel comfortable|have (?:enough|any|the) (?:context|information|text))"
    r"|must decline)"
)

TALK: dict[str, Talk] = {
    "en": Talk(
        ("translat",),
        rf"\b(?:i|we)(?:['’]m| am)? ?(?:\w+ ){{0,2}}{_EN_CANNOT}[^.!?\n]{{0,60}}"
        r"(?:translat|assist|help|provid|fulfil|comply|reproduc|process|discuss|generat|respon)"
        r"|\bas an? (?:ai\b|artificial intelligence|(?:large )?language model)"
        r"|\b(?:sorry|apologi[sz]e|afraid)\b[^.!?\n]{0,40}\b(?:but|that|for)\b[^.!?\n]{0,80}"
        r"(?:translat|\btext\b|content|request|assist|sentence|segment|phrase)"
        r"|\bplease (?:provide|share|send|give)\b[^.!?\n]{0,60}(?:text|sentence|segment|context|content)"
        r"|\b(?:text|segment|sentence|phrase|input)\b[^.!?\n]{0,30}"
        r"\b(?:appears to be|seems to be|is not|does(?:n['’]t| not) (?:seem|appear))\b"
        r"|\bi think there might be a (?:small )?(?:issue|mistake)\b"
        r"|\b(?:difficult|impossible|not possible|hard|no way) to (?:accurately )?translate\b|\bno"
        r" translation needed\b"
        r"|\b(?:doesn['’]t|does not|don['’]t|do not) (?:need|require)[^.!?\n]{0,20}translation\b",
        (
            "note",
            "notes",
            "please note",
            "translator's note",
            "explanation",
            "breakdown",
            "literal",
            "literally",
            "literal translation",
            "literal meaning",
            "alternative",
            "alternatively",
            "option",
            "context",
        ),
        ("english",),
    ),
    "de": Talk(
        ("übersetz",),
        r"\b(?:kann|können|darf|werde|möchte)\b[^.!?\n]{0,60}\bnicht\b[^.!?\n]{0,40}"
        r"(?:übersetz|helfen|behilflich|unterstütz|bearbeit|wiedergeben|weiterhelfen)"
        r"|\bals (?:ki\b|sprachmodell|künstliche)|\bnicht in der lage\b[^.!?\n]{0,60}übersetz"
        r"|\bbitte (?:geben|senden|stellen|teilen) sie\b[^.!?\n]{0,60}(?:\btext\b|\bsatz\b|kontext)",
        ("anmerkung", "hinweis", "erklärung", "bemerkung", "notiz", "wörtlich", "alternative"),
        ("deutsch", "englisch"),
    ),
    "es": Talk(
        ("traduc", "traduzc"),
        r"\bno (?:puedo|podemos|me es posible|voy a|estoy (?:en condiciones|autorizad))\b[^.!?\n]{0,60}"
        r"(?:traduc|ayud|asist|proporcion|reproduc|cumplir|procesar|responder)"
        r"|\bcomo (?:una? )?(?:ia\b|inteligencia artificial|modelo de lenguaje)"
        r"|\b(?:lo siento|lamento|disculpe)\b[^.!?\n]{0,60}(?:traduc|\btexto\b|contenido|solicitud|ayudar)"
        r"|\bpor favor,? (?:proporcion|comparta|envíe|indique)\w*[^.!?\n]{0,60}(?:texto|frase|contexto)",
        ("nota", "notas", "explicación", "literalmente", "alternativa", "opción"),
        ("español", "inglés", "castellano"),
    ),
    "fr": Talk(
        ("tradui", "traduc"),
        r"\bne (?:peux|puis|pouvons|suis|vais|souhaite)\b[^.!?\n]{0,60}(?:tradui|aider|assister|fournir"
        r"|reprodui|répondre)"
        r"|\ben tant qu['’](?:ia\b|intelligence artificielle|un? (?:ia\b|modèle|assistant))"
        r"|\b(?:désolée?|excuse\w*|regrette)\b[^.!?\n]{0,60}(?:tradui|\btexte\b|contenu|demande|aider)"
        r"|\bveuillez (?:fournir|partager|envoyer|préciser)\b[^.!?\n]{0,60}(?:texte|phrase|contexte)",
        ("note", "remarque", "explication", "littéralement", "alternative", "traduction littérale"),
        ("français", "anglais"),
    ),
    "it": Talk(
        ("tradu", "traduz"),
        r"\bnon (?:posso|possiamo|sono in grado|mi è possibile|intendo)\b[^.!?\n]{0,60}"
        r"(?:tradu|aiuta|assist|fornir|riprodu|rispond|elabor)"
        r"|\bcome (?:ia\b|intelligenza artificiale|modello linguistico)"
        r"|\b(?:mi dispiace|scus\w+|spiacente)\b[^.!?\n]{0,60}(?:tradu|\btesto\b|contenut|richiesta|aiutar)"
        r"|\bper favore,? (?:fornisc|invia|condivid)\w*[^.!?\n]{0,60}(?:testo|frase|contesto)",
        ("nota", "note", "spiegazione", "letteralmente", "alternativa"),
        ("italiano", "inglese"),
    ),
    "pt": Talk(
        ("tradu", "traduz"),
        r"\bnão (?:posso|podemos|consigo|sou capaz|é possível|vou)\b[^.!?\n]{0,60}"
        r"(?:tradu|ajud|assist|fornec|reproduz|atend|respond|process)"
        r"|\bcomo (?:uma? )?(?:ia\b|inteligência artificial|modelo de linguagem)"
        r"|\b(?:desculp\w+|sinto muito|lamento)\b[^.!?\n]{0,60}(?:tradu|\btexto\b|conteúdo|pedido"
        r"|solicitação|ajudar)"
        r"|\bpor favor,? (?:forneça|envie|compartilhe|indique)[^.!?\n]{0,60}(?:texto|frase|contexto)",
        ("nota", "observação", "obs", "explicação", "literalmente", "alternativa", "opção"),
        ("português", "inglês"),
    ),
    "nl": Talk(
        ("vertal", "vertaal", "vertaling"),
        r"\bkan\b[^.!?\n]{0,60}\bniet\b[^.!?\n]{0,40}(?:vertal|helpen|assisteren)|\bals (?:ai\b|taalmodel)",
        ("opmerking", "let op", "toelichting", "uitleg", "letterlijk"),
        ("nederlands", "engels"),
    ),
    "ru": Talk(
        ("перевод", "перевест", "перевед", "переведён", "переведен"),
        r"\bне (?:могу|можем|смогу|буду|в состоянии)\b[^.!?\n]{0,60}(?:перев|помочь|предостав|выполн|ответ)"
        r"|\bкак (?:ии\b|искусственный|языковая модель)"
        r"|\b(?:извин\w+|к сожалению|прошу прощения)\b[^.!?\n]{0,60}(?:перев|\bтекст|помочь|запрос)"
        r"|\bпожалуйста,? (?:предостав|пришл|укаж)\w*[^.!?\n]{0,60}(?:текст|предложение|контекст)",
        ("примечание", "примечания", "пояснение", "объяснение", "дословно", "буквально", "вариант"),
        ("русский", "английский", "по-русски"),
    ),
    "uk": Talk(
        ("переклад", "перекла", "переклас"),
        r"\bне (?:можу|зможу|буду)\b[^.!?\n]{0,60}(?:перекла|допомог|надати)",
        ("примітка", "пояснення", "дослівно"),
        ("українська", "англійська"),
    ),
    "pl": Talk(
        ("tłumacz", "przetłumacz", "przekład"),
        r"\bnie (?:mogę|możemy|jestem w stanie|będę)\b[^.!?\n]{0,60}(?:tłumacz|pomóc|dostarczy|spełni)"
        r"|\bjako (?:model|ai\b|sztuczna)|\b(?:przepraszam|przykro mi)\b[^.!?\n]{0,60}(?:tłumacz"
        r"|\btekst|pomóc)",
        ("uwaga", "przypis", "wyjaśnienie", "dosłownie"),
        ("polski", "angielski"),
    ),
    "cs": Talk(
        ("přelož", "překlad", "překlád"),
        r"\b(?:nemohu|nemůžu|nemůžeme|nelze|nejsem schop\w+|nebudu|odmítám|není možn\w+)\b[^.!?\n]{0,60}"
        r"(?:přelož|překl|pomoci|pomoct|poskytnout|vyhovět)"
        r"|\bpřeklad[^.!?\n]{0,50} (?:není možn|nelze|neexistuje)"
        r"|\bjako (?:ai\b|umělá inteligence|jazykový model)"
        r"|\b(?:omlouvám se|promiňte|je mi líto|bohužel)\b[^.!?\n]{0,60}(?:přelož|překl|\btext|pomoci"
        r"|požadav)",
        ("poznámka", "vysvětlení", "doslova", "doslovně", "upozornění"),
        ("čeština", "česky", "angličtina", "anglicky"),
    ),
    "sk": Talk(
        ("prelož", "preklad"),
        r"\b(?:nemôžem|nedokážem|nebudem)\b[^.!?\n]{0,60}(?:prelož|prekl|pomôcť|poskytnúť)",
        ("poznámka", "vysvetlenie", "doslova"),
        ("slovenčina", "slovensky", "angličtina"),
    ),
    "sv": Talk(
        ("översätt",),
        r"\bkan\b[^.!?\n]{0,20}\binte\b[^.!?\n]{0,40}(?:översätt|hjälpa)|\bsom (?:ai\b|språkmodell)",
        ("obs", "anmärkning", "förklaring", "ordagrant"),
        ("svenska", "engelska"),
    ),
    "da": Talk(
        ("oversæt",),
        r"\bkan\b[^.!?\n]{0,20}\bikke\b[^.!?\n]{0,40}(?:oversæt|hjælpe)",
        ("bemærk", "note", "forklaring"),
        ("dansk", "engelsk"),
    ),
    "nb": Talk(
        ("oversett",),
        r"\bkan\b[^.!?\n]{0,20}\bikke\b[^.!?\n]{0,40}(?:oversett|hjelpe)",
        ("merk", "merknad", "forklaring"),
        ("norsk", "engelsk"),
    ),
    "fi": Talk(
        ("kääntä", "käännö", "käännä"),
        r"\ben (?:voi|pysty)\b[^.!?\n]{0,60}(?:kääntä|auttaa)",
        ("huomautus", "huom", "selitys"),
        ("suomi", "englanti"),
    ),
    "hu": Talk(
        ("fordít",),
        r"\bnem tud\w+[^.!?\n]{0,60}(?:fordít|segíteni)",
        ("megjegyzés", "magyarázat"),
        ("magyar", "angol"),
    ),
    "ro": Talk(
        ("tradu",),
        r"\bnu (?:pot|putem|sunt capabil)\b[^.!?\n]{0,60}(?:tradu|ajuta|oferi)",
        ("notă", "explicație", "observație"),
        ("română", "engleză"),
    ),
    "tr": Talk(
        ("çevir", "çeviri", "tercüme"),
        r"(?:çevir|tercüme|yardımcı)[^.!?\n]{0,30}(?:emem"
        r"|emiyorum|amam|amıyorum|emeyiz|olamam)",
        ("not", "açıklama"),
        ("türkçe", "ingilizce"),
    ),
    "el": Talk(
        ("μετάφρα", "μεταφρά"),
        r"\bδεν μπορώ\b[^.!?\n]{0,60}(?:μεταφρ|βοηθήσω)",
        ("σημείωση", "εξήγηση"),
        ("ελληνικά", "αγγλικά"),
    ),
    "bg": Talk(
        ("превод", "превед", "превежд"),
        r"\bне мога\b[^.!?\n]{0,60}(?:превед|помогна)",
        ("забележка", "обяснение"),
    ),
    "hr": Talk(
        ("prevod", "prijevod", "preved", "prevest"),
        r"\bne mogu\b[^.!?\n]{0,60}(?:preve|pomoći)",
        ("napomena", "objašnjenje"),
    ),
    "zh": Talk(
        ("翻译", "翻譯", "译文", "譯文", "译为", "譯為"),
        r"(?:无法|不能|無法|不便|不会|不會)[^。！？\n]{0,12}(?:翻译|翻譯|协助|協助|帮|幫|提供|满足|滿足"
        r"|处理|處理)"
        r"|作为(?:一个|一款)?(?:人工智能|AI|语言模型)|(?:抱歉|对不起|對不起)[^。！？\n]{0,20}(?:翻译"
        r"|翻譯|文本|内容|請求|请求)"
        r"|请(?:您)?提供[^。！？\n]{0,15}(?:文本|句子|上下文|内容|原文)",
        ("注", "注意", "说明", "說明", "解释", "解釋", "备注", "備註", "注释", "译注"),
        ("中文", "英文", "英语", "汉语"),
    ),
    "ja": Talk(
        ("翻訳", "訳文", "和訳", "日本語訳"),
        r"(?:翻訳|お手伝い|対応|提供)[^。！？\n]{0,12}(?:できません|できかねます|いたしかねます|できない)"
        r"|(?:申し訳|すみません|ごめん)[^。\n]{0,40}(?:翻訳|テキスト|文章|対応|内容)|AIとして"
        r"|言語モデルとして"
        r"|(?:テキスト|文章|原文)[^。\n]{0,10}(?:提供して|ご提供|入力して|送って)",
        ("注", "注意", "備考", "説明", "補足", "注釈"),
        ("日本語", "英語"),
    ),
    "ko": Talk(
        ("번역",),
        r"(?:번역|도움|도와|제공)[^.!?\n]{0,15}(?:수 없|드릴 수 없|불가)|(?:죄송"
        r"|미안)[^.!?\n]{0,40}(?:번역|텍스트|요청|도와)",
        ("참고", "주의", "설명", "비고"),
        ("한국어", "영어"),
    ),
    "ar": Talk(
        ("ترجم",),
        r"(?:لا (?:أستطيع|يمكنني|نستطيع)|لا أقدر|عذر|آسف)[^.!؟\n]{0,60}(?:ترجم|مساعد"
        r"|تقديم)",
        ("ملاحظة", "شرح", "توضيح"),
        ("العربية", "الإنجليزية"),
    ),
    "he": Talk(
        ("תרגו", "לתרגם", "תרגם"),
        r"(?:לא (?:יכול|יכולה|ניתן|אוכל)|מצטער)[^.!?\n]{0,60}(?:תרג"
        r"|לעזור)",
        ("הערה", "הסבר"),
    ),
    "fa": Talk(
        ("ترجمه",),
        r"(?:نمی‌?توانم|متأسفم|متاسفم)[^.!؟\n]{0,60}(?:ترجمه|کمک)|(?:ترجمه"
        r"|کمک)[^.!؟\n]{0,30}نمی‌?توانم",
        ("توجه", "یادداشت", "توضیح"),
    ),
    "hi": Talk(
        ("अनुवाद",),
        r"(?:अनुवाद|सहायता|मदद)[^।!?\n]{0,30}(?:नहीं कर|असमर्थ|नहीं दे)|(?:क्षमा"
        r"|माफ़|माफ)[^।!?\n]{0,60}अनुवाद",
        ("नोट", "टिप्पणी", "ध्यान दें"),
        ("हिंदी", "हिन्दी", "अंग्रेजी"),
    ),
    "id": Talk(
        ("terjemah",),
        r"\b(?:tidak (?:bisa|dapat)|maaf)\b[^.!?\n]{0,60}(?:terjemah|membantu)",
        ("catatan", "penjelasan"),
    ),
    "vi": Talk(
        ("bản dịch", "dịch thuật", "biên dịch"),
        r"\b(?:không thể|xin"
        r" lỗi)\b[^.!?\n]{0,60}(?:dịch|giúp|hỗ trợ)",
        ("lưu ý", "ghi chú", "chú thích"),
    ),
    "th": Talk(("แปล",), r"(?:ไม่สามารถ|ขออภัย|ขอโทษ)[^\n]{0,40}(?:แปล|ช่วย)", ("หมายเหตุ",)),
}


@cache
def stems_of(*languages: str) -> tuple[str, ...]:
    """Beginnings of words for translating in these languages; of all where none is given."""
    tables = [TALK[code] for code in languages if code in TALK] if languages else TALK.values()
    return tuple(dict.fromkeys(stem for talk in tables for stem in talk.translate))


def speaks_of_translation(text: str, languages: Iterable[str] = ()) -> bool:
    """Whether a text in small letters has a word for translating in one of the languages, or in any.

    >>> speaks_of_translation("eine wörtliche übersetzung wäre"), speaks_of_translation("guten tag")
    (True, False)
    """
    for stem in _ascii_stems(*languages) if text.isascii() else stems_of(*languages):
        if stem in text:
            return True
    return False


@cache
def _ascii_stems(*languages: str) -> tuple[str, ...]:
    """The only ones that a text in ASCII can have."""
    return tuple(stem for stem in stems_of(*languages) if stem.isascii())


@cache
def _refusals(*languages: str) -> re.Pattern[str]:
    tables = [TALK[code] for code in languages if code in TALK] if languages else list(TALK.values())
    return re.compile("|".join(talk.refuse for talk in tables) or r"(?!)")


def refusal_in(text: str, languages: Iterable[str] = ()) -> re.Match[str] | None:
    """Where a text in small letters declines to translate or asks for the text, in these languages or in any.

    >>> refusal_in("es tut mir leid, aber ich kann diesen text nicht übersetzen.")[0]
    'kann diesen text nicht übersetz'
    """
    return _refusals(*languages).search(text)


@cache
def note_labels(*languages: str) -> re.Pattern[str]:
    """A label of a note with its colon, where a line, a sentence or a bracket begins."""
    tables = [TALK[code] for code in languages if code in TALK] if languages else list(TALK.values())
    words = sorted({note for talk in tables for note in talk.notes}, key=len, reverse=True)
    return re.compile(
        rf"(?:^|[\n(（\[*`.!?。])[\s*_`]{{0,4}}(?:{'|'.join(map(re.escape, words))})[*_]{{0,2}}\s?[:：]"
    )
