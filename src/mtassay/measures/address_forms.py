"""Forms of address (du or Sie, tu or vous) and spelling variants (en-GB or en-US): which one a text uses.

A mark counts only where it is certain. *Sie* at the beginning of a German sentence can be *she* or *they*.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from mtassay.measures.check import words

Address = Literal["formal", "informal"]

_ADDRESS: dict[str, tuple[str, str]] = {
    # language: (formal, informal); sentence-initial capitals are excluded where they are ambiguous
    "de": (
        r"(?<=[^\s.!?:…\"„“»(>\n\-–] )(?:Sie|Ihnen|Ihre[nmrs]?|Ihr)\b|\b[A-ZÄÖÜ]?[a-zäöüß]+e?n Sie\b",
        r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]eine?[mnrs]?)\b",
    ),
    "fr": (
        r"\b(?:[Vv]ous|[Vv]otre|[Vv]os)\b",
        r"\b(?:[Tt]u|[Tt]oi|[Tt]es)\b|\b[Tt]'(?=[aeiouhéè])|\b[Tt]a(?= [a-zé])"
        r"|(?<!\b[Uu]n )(?<!\b[Ll]e )(?<!\b[Dd]u )(?<!\b[Cc]e )(?<!\b[Dd]e )\b[Tt]on(?= [a-zé])",
    ),
    "es": (
        r"\b[Uu]sted(?:es)?\b|^(?:Haga|Vaya|Introduzca|Seleccione|Elija|Escriba|Pulse|Compruebe|Inténtelo|Conecte"
        r"|Asegúrese|Consulte|Abra|Ingrese|Verifique|Actualice|Reinicie|Póngase)\b",
        r"\b(?:[Pp]uedes|[Qq]uieres|[Tt]ienes|[Dd]ebes|[Tt]ú|[Tt]us?|[Tt]e|[Tt]i|[Cc]ontigo|[Tt]uy[oa]s?)\b",
    ),
    "pt": (
        r"\b(?:[Vv]ocês?|[Oo] senhor|[Aa] senhora)\b",
        r"\b(?:[Tt]u|[Tt]eus?|[Tt]uas?|[Tt]i|[Cc]ontigo)\b",
    ),
    "ru": (
        r"\b(?:[Вв]ы|[Вв]ас|[Вв]ам|[Вв]ами|[Вв]аш(?:а|е|и|его|ей|ему|им|их|ими|у|ем)?)\b",
        r"\b(?:[Тт]ы|[Тт]ебя|[Тт]ебе|[Тт]обой|[Тт]во(?:й|я|ё|е|и|его|ей|ему|им|их|ими|ю|ём))\b",
    ),
    "uk": (
        r"\b(?:[Вв]и|[Вв]ас|[Вв]ам|[Вв]ами|[Вв]аш(?:а|е|і|ого|ої|ому|им|их|ими|у)?)\b",
        r"\b(?:[Тт]и|[Тт]ебе|[Тт]обі|[Тт]обою|[Тт]в(?:ій|оя|оє|ої|ого|оїй|оєму|оїм|оїх|оїми|ою))\b",
    ),
    "it": (
        r"(?<=[^\s.!?:…\"«(>\n] )(?:Lei|Suo|Suoi|Sua|Sue)\b",
        r"\b(?:[Tt]u|[Tt]uo|[Tt]uoi|[Tt]ua|[Tt]ue)\b",
    ),
    "nl": (r"\b(?:[Uu]|[Uu]w)\b(?![.\-'/])", r"\b(?:[Jj]e|[Jj]ij|[Jj]ou|[Jj]ouw)\b"),
    "pl": (
        r"\b(?:Pan|Pani|Pana|Panu|Państwo|Państwa|Państwu)\b",
        r"\b(?:[Tt]y|[Cc]iebie|[Cc]i|[Tt]obie|[Tt]obą|[Tt]w(?:ój|oja|oje|ojego|ojej|ojemu|oim|oich|oimi|oją))\b",
    ),
    "cs": (
        r"\b(?:[Vv]y|[Vv]ás|[Vv]ám|[Vv]ámi|[Vv]áš|[Vv]aš(?:e|i|eho|emu|em|ím|ich|imi|í))\b",
        r"\b(?:[Tt]ebe|[Tt]obě|[Tt]ebou|[Tt]vůj|[Tt]voje|[Tt]vého|[Tt]vému|[Tt]vým)\b",
    ),
    "tr": (r"\b[Ss]iz(?:i|e|in|den|de)?\b", r"\b(?:[Ss]en|[Ss]eni|[Ss]ana|[Ss]enin|[Ss]enden)\b"),
    "zh": (r"您", r"你"),
    "ja": (
        r"(?:です|ます|ました|ません|でした|ください|ましょう)(?:か|が|ので)?(?=[。！？!?」、]|$)",
        r"(?:できる|(?<![でま])した|なった|った|(?<!ま)せん|ている|だ)(?:よ|ね|ぜ|ぞ)?(?=[。！!])"
        r"|(?<=[るいただ])(?:よ|ぜ|ぞ)(?=[。！!]|$)",
    ),
    "sv": (r"(?<=[a-zåäö,] )(?:Ni|Er|Ert|Era)\b", r"\b(?:du|dig|din|ditt|dina)\b"),
}
ADDRESS_LANGUAGES = frozenset(_ADDRESS)


class AddressForm(NamedTuple):
    """What a text uses, and the place that shows it."""

    name: str
    text: str
    start: int
    end: int


@cache
def _address_patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    formal, informal = _ADDRESS[code]
    return re.compile(formal), re.compile(informal)


_YOUR = re.compile(r"\byour\b(?!.*\b(?:his|her|its|their)\b)", re.IGNORECASE | re.DOTALL)
_SU = re.compile(r"\b[Ss]us?\b")


def find_address(text: str, code: str, source: str = "") -> list[AddressForm]:
    """The forms of address of a text, at most one formal and one informal, each at its first place.

    Spanish `su` is formal where the source, in English, has `your` and no other owner.

    >>> [found.name for found in find_address("Bitte geben Sie dein Passwort ein.", "de")]
    ['formal', 'informal']
    """
    found = []
    for name, pattern in zip(("formal", "informal"), _address_patterns(code), strict=True):
        match = pattern.search(text)
        if match is None and code == "es" and name == "formal" and _YOUR.search(source):
            match = _SU.search(text)
        if match:
            found.append(AddressForm(name, match[0].strip(), match.start(), match.end()))
    return found


_BRITISH = (
    "colour favour behaviour neighbour honour labour flavour humour rumour harbour centre metre litre "
    "theatre fibre catalogue dialogue analogue defence offence licence grey tyre programme cheque "
    "cancelled cancelling labelled labelling travelled travelling traveller modelled modelling signalled "
    "fulfil enrol jewellery organise organised organising organisation recognise recognised customise "
    "customised customisation initialise initialised initialisation synchronise synchronised "
    "synchronisation optimise optimised optimisation minimise minimised maximise maximised normalise "
    "normalised visualise visualisation authorise authorised authorisation summarise realise realised "
    "apologise emphasise categorise personalise personalised prioritise specialise analyse analysed "
    "analysing paralyse colours favourite favourites coloured behaviours centred artefact artefacts "
    "aluminium whilst amongst mould plough skilful wilful storey sceptical ageing judgement "
    "acknowledgement practise"
)
_AMERICAN = (
    "color favor behavior neighbor honor labor flavor humor rumor harbor center meter liter theater fiber "
    "catalog dialog analog defense offense license gray tire program check canceled canceling labeled "
    "labeling traveled traveling traveler modeled modeling signaled fulfill enroll jewelry organize "
    "organized organizing organization recognize recognized customize customized customization initialize "
    "initialized initialization synchronize synchronized synchronization optimize optimized optimization "
    "minimize minimized maximize maximized normalize normalized visualize visualization authorize "
    "authorized authorization summarize realize realized apologize emphasize categorize personalize "
    "personalized prioritize specialize analyze analyzed analyzing paralyze colors favorite favorites "
    "colored behaviors centered artifact artifacts aluminum while among mold plow skillful willful story "
    "skeptical aging judgment acknowledgment practice"
)
# These are right in both variants in another meaning, or common in both.
_NO_AMERICAN = words(
    "meter check program license dialog analog tire while among story practice catalog judgment gray"
)
_NO_BRITISH = words(
    "metre programme licence practise judgement acknowledgement storey dialogue analogue catalogue"
)
_PORTUGUESE = {
    "pt-BR": words(
        "arquivo arquivos usuário usuários tela telas ônibus deletar salvar gerenciar gerenciador"
        " gerenciamento cadastrar planejar planejamento celular celulares econômico econômica acadêmico"
        " eletrônico eletrônica equipe equipes aterrissar aplicativo aplicativos compartilhar compartilhado"
        " compartilhamento acessar acesse registro registros contato contatos fato esporte esportes umidade"
        " bebê quilômetro quilômetros xícara sorvete mouse"
    ),
    "pt-PT": words(
        "ficheiro ficheiros utilizador utilizadores ecrã ecrãs palavra-passe palavras-passe telemóvel"
        " telemóveis autocarro planear planeamento registo registos controlo equipa equipas económico"
        " económica académico eletrónico eletrónica electrónico electrónica partilhar partilhado partilha"
        " aceder aceda facto contacto contactos desporto acção acções actualização actualizar seleccionar"
        " seleccione directório directórios projecto projectos actividade óptimo eléctrico objecto objectos"
        " direcção excepção chávena pequeno-almoço bebé quilómetro quilómetros"
    ),
}
_SIMPLIFIED = (
    "这为个们来说时会对国过还发后么开关见问间东车长门马鸟书写学"
    "觉应该认识设计语译输选项击启动务标签载网络请户录删确实验种"
)
_TRADITIONAL = (
    "這為個們來說時會對國過還發後麼開關見問間東車長門馬鳥書寫學"
    "覺應該認識設計語譯輸選項擊啟動務標籤載網絡請戶錄刪確實驗種"
)
_SPANISH = {
    "es-ES": words("ordenador ordenadores vosotros vosotras vuestro vuestra vuestros vuestras"),
    "es-419": words("computadora computadoras computador celular celulares"),
}
# Swiss spellings of words that have an ß elsewhere; any word with ß is not Swiss.
_SWISS = words(
    "strasse strassen gross grosse grossen grosser grosses grösse grössen grösser ausser ausserdem ausserhalb"
    " äusserst schliessen schliesst schliesslich ausschliesslich gemäss regelmässig heisst heissen weiss"
    " grüsse gruss füsse fuss fussball spass süss massnahme massnahmen mass stossen giessen abschliessen"
    " anschliessend einschliesslich vergrössern vergrösserung begrüssen draussen beissen fliessen geniessen"
    " schiessen strassenname hauptstrasse masse gleichmässig übermässig zuverlässig"
) - words("masse mass zuverlässig")
_OLD: dict[str, frozenset[str]] = {
    "de": words(
        "daß muß mußt mußte mußten müßte läßt laß paßt paßwort paßwörter bewußt gewußt gewiß prozeß schluß"
        " anschluß abschluß einfluß fluß riß schloß beschluß verläßt häßlich vergißt mißt ißt eßt"
        " numerieren numerierung plazieren plazierung rauh"
    ),
    "fr": words(
        "oeuvre oeuvres coeur coeurs oeil oeuf oeufs soeur soeurs noeud noeuds voeu voeux boeuf moeurs"
        " oeillet manoeuvre manoeuvres"
    ),
}
"""Spellings that are out of use: before the reform of 1996, oe for œ."""
_VARIANTS: dict[str, tuple[str, str]] = {
    "en": ("en-GB", "en-US"),
    "pt": ("pt-BR", "pt-PT"),
    "zh": ("zh-Hans", "zh-Hant"),
    "de": ("de-DE", "de-CH"),
    "es": ("es-ES", "es-419"),
}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def variants_of(code: str) -> tuple[str, str] | None:
    """The two variants of a language that this module knows.

    >>> variants_of("en"), variants_of("fi")
    (('en-GB', 'en-US'), None)
    """
    return _VARIANTS.get(code)


@cache
def _marks(code: str) -> dict[str, tuple[str, str]]:
    """Each word that shows a variant: which one, and what the other variant writes, where known."""
    if code == "en":
        pairs = list(zip(_BRITISH.split(), _AMERICAN.split(), strict=True))
        table = {british: ("en-GB", american) for british, american in pairs if british not in _NO_BRITISH}
        return table | {
            american: ("en-US", british) for british, american in pairs if american not in _NO_AMERICAN
        }
    if code == "de":
        return dict.fromkeys(_SWISS, ("de-CH", ""))
    table = {}
    for variant, forms in (_PORTUGUESE if code == "pt" else _SPANISH).items():
        table |= dict.fromkeys(forms, (variant, ""))
    return table


@cache
def _chinese() -> dict[str, str]:
    table = dict.fromkeys(_SIMPLIFIED, "zh-Hans") | dict.fromkeys(_TRADITIONAL, "zh-Hant")
    return {
        char: variant for char, variant in table.items() if not (char in _SIMPLIFIED and char in _TRADITIONAL)
    }


def find_variants(text: str, code: str) -> list[AddressForm]:
    """The words of a text that show a variant, in order; in Chinese, the first sign of each.

    >>> [(found.name, found.text) for found in find_variants("The colour of the center", "en")]
    [('en-GB', 'colour'), ('en-US', 'center')]
    """
    if code == "zh":
        signs = _chinese()
        first: dict[str, AddressForm] = {}
        for place, char in enumerate(text):
            variant = signs.get(char)
            if variant and variant not in first:
                first[variant] = AddressForm(variant, char, place, place + 1)
        return list(first.values())
    if code not in _VARIANTS:
        return []
    marks = _marks(code)
    if code == "de":
        return [
            AddressForm("de-CH" if word in marks else "de-DE", match[0], match.start(), match.end())
            for match in _WORD.finditer(text)
            if (word := match[0].lower()) in marks or ("ß" in word and word not in _OLD["de"])
        ]
    if marks.keys().isdisjoint(_WORD.findall(text.lower())):  # nearly always, and cheap to see
        return []
    return [
        AddressForm(marks[word][0], match[0], match.start(), match.end())
        for match in _WORD.finditer(text)
        if (word := match[0].lower()) in marks
    ]


def find_old_spellings(text: str, code: str) -> list[AddressForm]:
    """The words of a text whose spelling is out of use.

    >>> [found.text for found in find_old_spellings("Ich weiß, daß es geht.", "de")]
    ['daß']
    """
    old = _OLD.get(code)
    if old is None or (code == "de" and "ß" not in text) or (code == "fr" and "oe" not in text.lower()):
        return []
    return [
        AddressForm("old", match[0], match.start(), match.end())
        for match in _WORD.finditer(text)
        if match[0].lower() in old
    ]


_KATAKANA = re.compile("[ァ-ヴー]{3,}")
_YO = re.compile("(?<![а-яё])(?=[а-дж-я]*+[её])[а-яё]++", re.IGNORECASE)
# Two words each: everything and all, about it and dumb.
_TWO_WORDS = words("все всем нем чем том узнает узнаем передает берет небо осел падеж слез")


def spelled_twice(text: str, code: str) -> list[tuple[str, str, int]]:
    """Words that are spelled in two ways, as a key for both, the word and its place: サーバ, ещё."""
    if code == "ja":
        found = [(match[0].rstrip("ー"), match[0], match.start()) for match in _KATAKANA.finditer(text)]
        return [item for item in found if len(item[0]) > 2]
    if code != "ru":
        return []
    pairs = [
        (match[0].lower().replace("ё", "е"), match[0].lower(), match.start()) for match in _YO.finditer(text)
    ]
    return [item for item in pairs if item[0] not in _TWO_WORDS]
