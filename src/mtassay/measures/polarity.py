"""Suspects outputs that say no where the source says yes, or the reverse.

Only a plain negation (*not*, *never*, *kein*, *não*) makes a suspicion, and only where nothing at all on the
other side could stand for it: a word that denies by its meaning or its affix (*without*, *fail*, *illegal*)
is enough to leave the pair alone, and so is a phrase that denies in form alone (*not only*, *isn't it?*).
In a language whose word for no looks like another word, it is also suspected where the other one would fit
far better (*não verão* for *no verão*) and the output denies oftener than the source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import read_bytes, split_lines
from mtassay.data.language_packs import pack_file
from mtassay.data.languages import Pair
from mtassay.measures.detector import AnnotatedAnswer, PairDetector, Shared, Suspicion
from mtassay.measures.vocabulary import TargetWords, small_words, target_words
from mtassay.nlp.normalisation import plain_marks

__all__ = ["NEGATIONS", "Negations", "Polarity", "find_polarity", "negations_of"]


@dataclass(frozen=True, slots=True)
class Negations:
    """How a language says no, as regular expressions over text in small letters.

    `formal` are phrases that hold a negation and deny nothing, `plain` the words that deny for certain,
    `hidden` all else that another language may well say with a negation.
    """

    formal: str
    plain: str
    hidden: str

    def plain_in(self, text: str) -> list[str]:
        """The words that deny, as written in small letters, each once.

        >>> NEGATIONS["pt"].plain_in("Ela não só canta; também nunca para no domingo.")
        ['nunca']
        """
        rest = re.sub(self.formal, " ", _fold(text))
        return list(dict.fromkeys(match.group().strip() for match in re.finditer(self.plain, rest)))

    def count(self, text: str) -> int:
        """How often the text says no plainly, in form or in meaning."""
        return len(re.findall(self.plain, _fold(text)))

    def may_deny(self, text: str) -> bool:
        """Whether anything in the text could stand for a negation."""
        return re.search(f"{self.formal}|{self.plain}|{self.hidden}", _fold(text)) is not None


def _fold(text: str) -> str:
    return plain_marks(text).casefold()


NEGATIONS = {
    "en": Negations(
        formal=(
            r"\bbetter late than never\b|\bbut no\b|\blittle to no\b|\bnot (?:only|just|merely|simply|least"
            r"|to mention|until|so much|more than|less than|at all|bad)\b"
            r"|\bno (?:matter|doubt|wonder|sooner|problem|less|more|fewer|later|longer|one else|other)\b"
            r"|\b(?:why|if|whether|or|whether or) not\b|\bnothing (?:but|like|short)\b|\bno\.|\bno \d"
            r"|\b(?:can't|cannot|couldn't) (?:help|wait)\b|\bwhy \w+n't\b|\bnone other\b|\bnever ?mind\b"
            r"|, ?\w+n't \w+ ?\?|(?:^|[.!?,] )\w+n't \w+[^.!?]*\?|\byes (?:or|and) no\b|(?:^"
            r"|[.!?\"'] ?)no[,.!]"
        ),
        plain=r"\b(?:not|never|cannot|no|none|nobody|nothing|nowhere|neither|nor|no one)\b|\b\w+n't\b",
        hidden=(
            r"\b(?:without|unless|until|hardly|barely|scarcely|rarely|seldom|few|fewer|little|less|least|only"
            r"|except|instead|otherwise|against|anyone|anything|anybody|anywhere|ever|too|yet|nay|nah"
            r"|noone|no-one|no{3,}|dunno"
            r"|out of|far from|free of|rather|even|dont|doesnt|didnt|cant|wont|isnt|wasnt|arent|aint|wouldnt"
            r"|couldnt|shouldnt|havent|hasnt|ain|absent|absence|before|beyond|off|either"
            r"|impunity|minor|hate|hated|hates|mind|low|short|wrong|bad|poor|hard|difficult|sick|ill"
            r"|dread|refrain|anonymous|only|running out|essential)\b"
            r"|\b(?:fail|lack|miss|los[ets]|refus|reject|den[iy]|avoid|prevent|stop|ceas|ban(?:s|n\w+)?\b|prohibit|forbid|"
            r"exclud|neglect|ignor|declin|resist|doubt|quit|withh|abandon|abst|reluct|oppos|prohib|pend)\w*"
            r"|\bun(?!der|til|it|ion|iver|iqu|ity|cle|ce)\w{3,}|\bnon\w*|\b\w{3,}less(?:ly|ness)?\b"
            r"|\bdis(?!cuss|tan|tric|cover|tribut|play|eas|h|k|c\b|ast)\w{3,}|\bmis\w{4,}|\ba(?:typ|mor"
            r"|pol)\w+"
            r"|\bi(?:m(?:poss|prop|pat|perf|mor|mat|bal|mob|mun|part|pass|plaus|prec|pract)|n(?:cap|ab"
            r"|adeq|compl"
            r"|corr|dep|dir|def|eff|suf|vis|val|appr|accu|act|ev|exp|form|sec|stab|tol|access|conv|fin"
            r"|signif|sep"
            r"|adv|ed|equ|comp|cons|flex|hum|just|nocen|off|san|var|dist)|ll(?:eg|og|it)|rr(?:eg|el|esp"
            r"|at|ev|ep))"
            r"\w*"
        ),
    ),
    "pt": Negations(
        formal=(
            r"\bnão (?:só|somente|apenas|obstante|raro|menos|mais|há dúvida)\b|\ba não ser\b|\bse não\b"
            r"|\bou não\b|, ?não (?:é|é mesmo|foi|acha)?(?: verdade)? ?\?|\bpor que não\b|(?:^"
            r"|[.!?] )não[,.!]"
            r"|\bnem (?:só|sempre)\b|\bmais do que nunca\b|\bcomo nunca\b|\b(?:(?:^|[.!?,] )não [^.!?]*\?)"
        ),
        plain=r"\b(?:não|nunca|jamais|nenhum|nenhuma|ninguém|nem|tampouco)\b",
        hidden=(
            r"\b(?:sem|nada|exceto|senão|menos|pouc[oa]s?|só|apenas|somente|contra|até|raramente|mal"
            r"|algum|alguma"
            r"|embora|ainda|antes|longe|fora|vez de|invés|qualquer|demais|demasiado|n|ñ|nao|pior|difícil"
            r"|alheio"
            r"|mau|má|errad[oa]s?|último|única?|único|outra|outro)\b"
            r"|\b(?:falt|falh|deix|evit|recus|rejeit|neg|imped|proib|perd|exclu|ignor|parar|parou|car[eê][cn]"
            r"|abst|anti"
            r"|desconh|opõ|opos|odei|abandon|duvid|des(?!de\b|t|s|enh|env|p|cr|l)|dis(?!se|s|t|c|p)|dific|im[pbm]|in\w{4}|irr|ile|ilí)\w*"
        ),
    ),
    "de": Negations(
        formal=(
            r"\bnicht (?:nur|bloß|zuletzt|einmal mehr|umsonst|wahr|mehr als|weniger als|selten|zu)\b"
            r"|\bob nicht\b|\boder nicht\b|\bwarum nicht\b|\bwenn nicht\b|\bnichts als\b|\bkein wunder\b"
            r"|\bkeine? (?:frage|zweifel|geringer\w*)\b|\b\w+ (?:\w+ )?nicht[^.!?]*\?|\bnie wieder\b"
        ),
        plain=(
            r"\b(?:nicht|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|weder|nirgends|nirgendwo|keinerlei)\b"
        ),
        hidden=(
            r"\b(?:ohne|kaum|selten|wenige?r?|nur|erst|außer|sonst|statt|anstatt|gegen|bevor|ehe|mangels"
            r"|nein|ne|nee|sondern|fern|frei|schwer|schlecht|miss\w*|fehl\w*|falsch|keinst\w+|mäßig\w*"
            r"|gering\w*|wenig\w*|alles andere|egal|nix|nich|nichmal)\b"
            r"|\bun(?!d\b|s\b|ser|ter|gefähr|i)\w{3,}|\b\w{3,}los(?:e|en|er|es|em|igkeit)?\b|\bnicht\w+"
            r"|\b\w+frei\w*"
            r"|\b(?:versag|verweiger|lehn|ablehn|abgelehnt|vermeid|vermied|verhinder|verbiet|verbot"
            r"|verlier|verlor"
            r"|aufhör|hör|aufgehört|ignor|mangel|mangl|leugn|bestreit|bestritt|verpass|vermiss|weiger"
            r"|inakz|inak|inko|ineff|illeg|irre"
            r"|des|dis|anti|stopp|verzicht|unterlass|ausgeschlossen|ausschl|entgeh|entbehr)\w*"
        ),
    ),
    "es": Negations(
        formal=(
            r"\bno (?:s[oó]lo|solamente|únicamente|obstante|menos|más|bien|sea)\b|\bsi no\b|\bo no\b"
            r"|, ?¿? ?no(?: es)?(?: verdad)?\?|¿no [^?]*\?|\bpor qué no\b|\bno\. ?\d|\bmás que nunca\b"
            r"|(?:^|[.!?¡] ?)no[,.!]"
        ),
        plain=r"\b(?:no|nunca|jamás|nadie|ning[uú]n|ninguna|ninguno|ni|tampoco)\b",
        hidden=(
            r"\b(?:sin|nada|excepto|salvo|sino|menos|poc[oa]s?|s[oó]lo|solamente|contra|hasta|apenas|mal"
            r"|aún|todavía"
            r"|antes|lejos|fuera|lugar de|cualquier|demasiado|difícil|último|únic[oa])\b"
            r"|\b(?:falt|fall|fracas|dej|evit|rechaz|neg|nieg|impid|imped|prohib|perd|pierd|exclu|ignor"
            r"|parar|paró|care[cn]"
            r"|des(?!de\b|p|cr|t)|dis(?!t|c|p)|im[pbm]|in\w{4}|irr|ile|anti|abst|aband|dud|odi)\w*"
        ),
    ),
    "fr": Negations(
        formal=(
            r"\bpas (?:seulement|uniquement|que|à pas|mal)\b|\bn'est-ce pas\b|\bou (?:pas|non)\b"
            r"|\bpourquoi pas\b"
            r"|\bsi ce n'est\b|\bplus que jamais\b|\b(?:un|le|les|ses|de|au|du|des|chaque) pas\b"
            r"|\b(?:à )?moins que\b[^.!?]*\bne\b"
        ),
        plain=(
            r"\b(?:pas|jamais|rien|aucune?|nul|nulle|ni)\b|\b(?:ne |n')[^.!?;]{1,30}?\b(?:plus|personne"
            r"|point)\b"
        ),
        hidden=(
            r"\b(?:ne|n|sans|non|sauf|moins|peu|seul\w*|contre|jusqu|guère|avant|loin|hors|lieu de|trop"
            r"|encore|mal"
            r"|difficile|dernière?|plus|personne|rare\w*)\b"
            r"|\b(?:manqu|échou|échec|évit|refus|rejet|rejett|ni[aeé]|empêch|interdi|perd|exclu|ignor"
            r"|arrêt|cess|dés|dis(?!t|c|p)"
            r"|mé[cpsd]|im[pbm]|in\w{4}|irr|illé|anti|absten|abandon|dout|défa)\w*"
        ),
    ),
    "it": Negations(
        formal=(
            r"\bnon (?:solo|soltanto|solamente|appena|meno|più|ostante)\b|\bse non\b|\bo no\b|\bperché non\b"
            r"|, ?(?:non è vero|vero|no) ?\?|\ba meno che\b[^.!?]*\bnon\b|\bfinché non\b|(?:^"
            r"|[.!?] )non [^.!?]*\?"
        ),
        plain=r"\b(?:non|nessun|nessuno|nessuna|niente|nulla|né|neanche|nemmeno|neppure)\b|\bnessun'",
        hidden=(
            r"\b(?:no|mai|senza|tranne|eccetto|meno|poc[ohi]\w*|solo|soltanto|contro|fino|appena|male"
            r"|ancora|prima"
            r"|lontano|fuori|invece|troppo|difficile|ultim\w+|unic\w+)\b"
            r"|\b(?:manc|fall|evit|rifiut|resping|respin|neg|imped|proib|viet|perd|perso\b|perse|esclu|ignor|smett"
            r"|smes|ferm|dis|sconosc|scontent|scorrett|scomod|sfortun|spiac|svantag"
            r"|im[pbm]|in\w{4}|irr|ille|anti|asten|abband|dubit)\w*"
        ),
    ),
    "cs": Negations(
        formal=(
            r"\bne(?:jen|jenom|toliko)\b|\b(?:nebo|či) ne\b|\b(?:proč|pokud|zda|dokud|ať) ne\w*\b"
            r"|(?:^|[.!?,] ?)ne[,.!]|\bne[^.!?,]*\?|\bnic (?:než|jiného)\b|\bjako nikdy\b"
        ),
        plain=(
            r"\b(?:ne|není|nejsem|nejsi|nejsme|nejste|nejsou|nelze|nikdo|nikoho|nikomu|nic|ničeho|nikdy|nikde|nikam"
            r"|žádn\w{1,3}|nikoli|nikoliv)\b"
            r"|\bne(?!s(?:l[aoiy]?|u|e|me|te|eme|ete|ou)\b|ch|urč|ustál|dávn|mocn|moc|bo|be|děl|rv|utr|gativ|hod|vě[sř]|mov)"
            r"(?:j(?!l|v|m|n|b|d[eé]l|s[ty]|st|č|h|k|p|t|z|š|r)\w*|[^\Wj]\w*)(?:l[aoiy]?|uj[eiíu]\w*|[áí]m|[aeií]me|[áeí]te|áš|íš|á|í|de|ou)\b"
        ),
        hidden=(
            r"\bne\w+|\b(?:bez|beze|ani|nic|žádn\w*|kromě|mimo|místo|pouze|jen|jenom|teprve|až|málo|méně|sotva|stěží|zřídka"
            r"|proti|dřív\w*|přestal?\w*|jediný|poslední|těžk\w*|špatn\w*|příliš|ještě|už|již|dosud)\b"
            r"|\b(?:odmít|zamít|zákaz|zakáz|zakaz|ztra[tc]|ztrá|chyb|selha|selh|vyhn|vyhý|zabrán|brán|popř|popír|ignor"
            r"|vyluč|vylouč|postrád|opust|opomen|zapom|pochyb|marn|anti|des|dis|in\w{4}|il|ir|im)\w*"
        ),
    ),
    "zh": Negations(
        formal=(
            r"不(?:仅|但|只|光|单|断|过|同|少|久|管|论|错|安|一|足|禁|由得|妨|愧|得不|料|已|外乎|如|利|满|幸|惜|时|法|明|当"
            r"|良|平|等|凡|适|情愿|情不愿|然|言而喻|言自明|朽|锈|动产|了了之|止|到|超过|再)|(?:是|能|会|可|想|要|好|对|行)不(?:是|能|会|可|想|要|好|对|行)"
            r"|有没有|没有[?？]|不变|不饱和|不舒服|不可少|不可或缺|不愿透露|不多了|没有关系|差不多|对不起|了不起|无(?:论|数|疑|线|人机|意|聊|奈|情|比|非|罪|辜|家"
            r"|限|形|偿|缘|视|条件)|未(?:来|婚|必)"
            r"|非(?:常|洲|凡|法|但|正式|同|营利|政府)|除非|是非|没(?:收|落|错|事|关系)|淹没|沉没|出没|埋没"
        ),
        plain=r"不|没有?|并非|从未|尚未|绝非|决不|毫无|无法|未能|未曾|未经",
        hidden=r"无|未|非|否|别|勿|莫|缺|少|禁|拒|免|失|难|仅|只|才|防|避|除|反|停|止|罢|弃|外",
    ),
}  # fmt: skip
"""By language; a language pack may bring others (`negations_of`)."""


_CONFUSED = {"pt": ("não", "no")}
_LIKELIER = 1.0  # nats


@dataclass(frozen=True)
class Polarity(PairDetector):
    """A plain negation on one side, and on the other nothing that could stand for it. The value is 1.

    `words` and `confused`, a negation and the word it is taken for, find one that stands in its place.
    """

    source: Negations
    target: Negations
    words: TargetWords | None = None
    confused: tuple[str, str] | None = None
    name: ClassVar[str] = "polarity"
    about: ClassVar[str] = "one side says no, and the other does not"

    @classmethod
    def open(cls, shared: Shared) -> Polarity:
        """`UsageError` for a language whose negations are not listed."""
        languages = [language.partition("-")[0] for language in _languages(shared)]
        sides = [negations_of(language) for language in languages]
        if sides[0] is None or sides[1] is None:
            raise UsageError(
                f"Detector 'polarity' does not know {shared.pair}. It knows: {', '.join(NEGATIONS)}."
            )
        return cls(sides[0], sides[1], shared.part(target_words), _CONFUSED.get(languages[1]))

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers; an empty side says neither yes nor no."""
        suspicions = []
        for answer in answers:
            source, output = answer.source.text, answer.output.text
            if not source.strip() or not output.strip():
                continue
            if (words := self.target.plain_in(output)) and not self.source.may_deny(source):
                why = f"the output says {_quoted(words)}, and nothing in the source says no"
                suspicions.append(Suspicion(answer.id, why, 1.0, {"source": [], "output": words}))
            elif (words := self.source.plain_in(source)) and not self.target.may_deny(output):
                why = f"the source says {_quoted(words)}, and nothing in the output says no"
                suspicions.append(Suspicion(answer.id, why, 1.0, {"source": words, "output": []}))
            elif phrase := self._mistaken(source, output):
                why = f"{phrase[0]!r} says no where {phrase[1]!r} would fit, and the source denies less often"
                suspicions.append(Suspicion(answer.id, why, 1.0, {"source": [], "output": [phrase[0]]}))
        return suspicions

    def contradictions(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """Where an output says no and neither source nor reference does, or the reverse, in order.

        A reference of the same language is the better witness, so that only plain negations of the source
        count; answers without one are left alone.
        """
        suspicions = []
        for answer in answers:
            source, output, references = answer.source.text, answer.output.text, answer.references
            if not source.strip() or not output.strip() or not references:
                continue
            there, here = self.source.plain_in(source), self.target.plain_in(output)
            if here and not there and not any(map(self.target.may_deny, references)):
                why = f"the output says {_quoted(here)}, and neither source nor reference says no"
                suspicions.append(Suspicion(answer.id, why, 1.0, {"source": [], "output": here}))
            elif there and all(map(self.target.plain_in, references)) and not self.target.may_deny(output):
                why = f"the source says {_quoted(there)}, and nothing in the output says no"
                suspicions.append(Suspicion(answer.id, why, 1.0, {"source": there, "output": []}))
        return suspicions

    def _mistaken(self, source: str, output: str) -> tuple[str, str] | None:
        """A negation with its next word, and the same with the word that fits far better there."""
        if self.words is None or self.confused is None:
            return None
        if self.target.count(output) <= self.source.count(source):
            return None
        negation, other = self.confused
        words = small_words(output)
        for at in range(1, len(words) - 1):
            if words[at] == negation and self.words.prefers(other, words, at) > _LIKELIER:
                return f"{negation} {words[at + 1]}", f"{other} {words[at + 1]}"
        return None


@cache
def negations_of(language: str) -> Negations | None:
    """How a language says no: by an installed language pack, else by our table; `None` where neither knows.

    Raises:
        InputError: A line of the pack's table is not `formal`, `plain` or `hidden`, a tab, and an expression.
    """
    path = pack_file("negations", language)
    if path is None:
        return NEGATIONS.get(language)
    parts: dict[str, list[str]] = {"formal": [], "plain": [], "hidden": []}
    for number, line in enumerate(split_lines(read_bytes(path), str(path)), 1):
        part, tab, expression = line.partition("\t")
        if not tab or part not in parts or not expression:
            raise InputError(f"write {', '.join(parts)}, a tab and an expression", path=path, line=number)
        parts[part].append(expression)
    # An expression that nothing matches stands for a part that has no line.
    return Negations(**{part: "|".join(found) or r"(?!)" for part, found in parts.items()})


def find_polarity(pair: Pair) -> Polarity | None:
    """The detector for a pair; `None` where the negations of a language are not listed."""
    try:
        return Polarity.open(Shared(pair))
    except UsageError:
        return None


def _languages(shared: Shared) -> tuple[str, str]:
    return str(shared.pair.source), str(shared.pair.target)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
