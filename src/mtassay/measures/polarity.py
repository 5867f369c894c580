"""Finds outputs that say no where the source says yes, or the reverse.

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
from typing import NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import read_bytes, split_lines
from mtassay.data.language_packs import pack_file
from mtassay.data.languages import Pair
from mtassay.measures.answers import AnnotatedAnswer, Suspicion
from mtassay.measures.vocabulary import TargetWords, small_words, target_words
from mtassay.nlp.normalisation import plain_marks


@dataclass(frozen=True, slots=True)
class Negations:
    """How a language says no, as regular expressions over text in small letters.

    `formal` are phrases that hold a negation and deny nothing, `plain` the words that deny for certain,
    `hidden` all else that another language may well say with a negation, `witnessed` what denies for certain
    if a right translation of the same text lacks it.
    """

    formal: str
    plain: str
    hidden: str
    witnessed: str = ""

    def plain_in(self, text: str) -> list[str]:
        """The words that deny, as written in small letters, each once.

        >>> NEGATIONS["pt"].plain_in("Ela não só canta; também nunca para no domingo.")
        ['nunca']
        """
        rest = re.sub(self.formal, " ", fold_text(text))
        return list(dict.fromkeys(match.group().strip() for match in re.finditer(self.plain, rest)))

    def witnessed_in(self, text: str) -> list[str]:
        """The same, for a text beside a right translation in the same language."""
        if words := self.plain_in(text):
            return words
        rest = re.sub(self.formal, " ", fold_text(text))
        return re.findall(self.witnessed, rest)[:1] if self.witnessed else []

    def count(self, text: str) -> int:
        """How often the text says no plainly, in form or in meaning."""
        return len(re.findall(self.plain, fold_text(text)))

    def may_deny(self, text: str, *, beside: str = "") -> bool:
        """Whether anything in the text could stand for a negation that `beside` does not say, too."""
        found = re.finditer(f"{self.formal}|{self.plain}|{self.hidden}", fold_text(text))
        other = fold_text(beside)
        return any(not other or match.group() not in other for match in found)


# What programs write into texts: options, keys to press within words, quotes as %'. None denies anything.
_OPTIONS = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_ACCELERATORS = re.compile(r"[&_](?=[^\W_])|%(?=')")
_FIELDS = re.compile(r"%(?:\d+\$)?[sduqi](?![^\W_]*')")
_TRADITIONAL = str.maketrans("沒無別", "没无别")


def fold_text(text: str) -> str:
    """The text in small letters and plain marks, without options and accelerators of programs.

    >>> fold_text("D&o not use --no-delay")
    'do not use  '
    """
    folded = plain_marks(text).casefold().translate(_TRADITIONAL)
    if "-" in folded:
        folded = _OPTIONS.sub(" ", folded)
    if "%" in folded:
        folded = _FIELDS.sub(" ", folded)
    if "&" in folded or "_" in folded or "%'" in folded:
        folded = _ACCELERATORS.sub("", folded)
    return folded


NEGATIONS = {
    "en": Negations(
        formal=(
            r"\b(?:do not|don't) (?:forget|hesitate|worry|miss)\b|\bin no time\b|\b(?:make sure|ensure)"
            r"(?: that)? (?:\w+ ){1,4}(?:isn't|is not|aren't|are not)\b|"
            r"\bbetter late than never\b|\bwhy don't\b|\bwouldn't you\b|\bif you don't (?:know"
            r"|mind)\b|\bnot one but\b|"
            r"\bbut no\b|\blittle to no\b|\bnot (?:only|just|merely|simply|least"
            r"|to mention|until|so much|more than|less than|at all|bad)\b"
            r"|\bno (?:matter|doubt|wonder|sooner|problem|less|more|fewer|later|longer|one else|other)\b"
            r"|\b(?:why|if|whether|or|whether or) not\b|\bnothing (?:but|like|short)\b|\bno\.|\bno \d"
            r"|\b(?:can't|cannot|couldn't) (?:help|wait)\b|\bwhy \w+n't\b|\bnone other\b|\bnever ?mind\b"
            r"|, ?\w+n't \w+ ?\?|(?:^|[.!?,] )\w+n't \w+[^.!?]*\?|\byes (?:or|and) no\b|(?:^"
            r"|[.!?\"'] ?)no[,.!]"
        ),
        plain=r"\b(?:not|never|cannot|no|none|nobody|nothing|nowhere|neither|nor|no one)\b|\b\w+n't\b",
        hidden=(
            r"\b(?:without|unless|until|hardly|barely|scarcely|rarely|rare|seldom|freedom|few|fewer"
            r"|little|less|least|only"
            r"|except|instead|otherwise|against|anyone|anything|anybody|anywhere|ever|too|yet|nay|nah"
            r"|noone|no-one|no{3,}|dunno"
            r"|out of|far from|free of|rather|even|dont|doesnt|didnt|cant|wont|isnt|wasnt|arent|aint|wouldnt"
            r"|couldnt|shouldnt|havent|hasnt|ain|absent|absence|before|beyond|off|either"
            r"|impunity|minor|hate|hated|hates|mind|low|short|wrong|bad|poor|hard|difficult|sick|ill"
            r"|dread|refrain|bogus|extraneous|exclusive|at most|down"
            r"|anonymous|w/o|empty|outdated|exempt|exemption|delusional|obsolete|missing"
            r"|only|running out|essential|n/a|outside|indeterminate|zero|null|dropped|idle)\b"
            r"|\b(?:fail|lack|miss|los[ets]|refus|reject|den[iy]|avoid|prevent|stop|ceas|ban(?:s"
            r"|n\w+)?\b|prohibit|forbid|"
            r"exclud|neglect|ignor|declin|resist|doubt|quit|withh|abandon|abst|reluct|oppos|prohib|pend)\w*"
            r"|\bna[iï]ve\b|\bun(?!der|til|it|ion|iver|iqu|ity|cle|ce)\w{3,}|\bnon\w*|\b\w{3,}less(?:ly"
            r"|ness)?\b"
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
            r"|desconh|opõ|opos|odei|abandon|duvid|des(?!de\b|t|s|enh|env|p|cr|l)|dis(?!se|s|t|c|p)"
            r"|dific|im[pbm]|in\w{4}|irr|ile|ilí)\w*"
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
            r"|aufhör|hör|aufgehört|verf[aä]ll|untergeordnet|ignor|mangel|mangl|leugn|bestreit|bestritt|verpass|vermiss|weiger"
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
            r"^pas\b|"
            r"\bpas (?:seulement|uniquement|que|à pas|mal)\b|\bn'est-ce pas\b|\bou (?:pas|non)\b"
            r"|\bpourquoi pas\b"
            r"|\bsi ce n'est\b|\bplus que jamais\b|\b(?:un|le|les|ses|de|au|du|des|chaque"
            r"|premiers?|faux|quelques|petits?|grands?) pas\b"
            r"|\b(?:à )?moins que\b[^.!?]*\bne\b"
        ),
        plain=(
            r"\b(?:pas|jamais|rien|aucune?|nul|nulle|ni)\b|\b(?:ne |n')[^.!?;]{1,30}?\b(?:plus|personne"
            r"|point)\b"
        ),
        hidden=(
            r"\babsente?s?\b|\bà la place\b|"
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
            r"\b(?:no|mai|null\w+|assenza|senza|tranne|eccetto|meno|poc[ohi]\w*|solo|soltanto|contro"
            r"|fino|appena|male"
            r"|ancora|prima"
            r"|lontano|fuori|invece|troppo|difficile|ultim\w+|unic\w+)\b"
            r"|\b(?:manc|fall|evit|rifiut|resping|respin|neg|imped|proib|viet|perd|perso\b|perse|esclu"
            r"|ignor|smett"
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
            r"\b(?:ne|není|nejsem|nejsi|nejsme|nejste|nejsou|nelze|nikdo|nikoho|nikomu|nic|ničeho|nikdy"
            r"|nikde|nikam"
            r"|žádn\w{1,3}|nikoli|nikoliv)\b"
            r"|\bne(?!s(?:l[aoiy]?|u|e|me|te|eme|ete|ou)\b|ch|urč|ustál|dávn|mocn|moc|bo|be|děl|rv|utr"
            r"|gativ|hod|vě[sř]|mov)"
            r"(?:j(?!l|v|m|n|b|d[eé]l|s[ty]|st|č|h|k|p|t|z|š|r)\w*|[^\Wj]\w*)(?:l[aoiy]?|uj[eiíu]\w*"
            r"|[áí]m|[aeií]me|[áeí]te|áš|íš|á|í|de|ou)\b"
        ),
        hidden=(
            r"\bne\w+|\b(?:bez|beze|ani|nic|žádn\w*|kromě|mimo|místo|pouze|jen|jenom|teprve|až|málo"
            r"|méně|sotva|stěží|zřídka"
            r"|proti|dřív\w*|přestal?\w*|jediný|poslední|těžk\w*|špatn\w*|příliš|ještě|už|již|dosud)\b"
            r"|\b(?:odmít|zamít|zákaz|zakáz|zakaz|ztra[tc]|ztrá|chyb|selha|selh|vyhn|vyhý|zabrán|brán"
            r"|popř|popír|ignor"
            r"|vyluč|vylouč|postrád|opust|opomen|zapom|pochyb|marn|anti|des|dis|in\w{4}|il|ir|im)\w*"
        ),
    ),
    "ru": Negations(
        formal=(
            r"\bне (?:только|просто|менее|более|меньше|больше|раз|зря|столько|столь|говоря|считая|иначе"
            r"|позднее|ранее"
            r"|меньший|лишь)\b|\bтем не менее\b|\bчуть не\b|\bне могу не\b|\bни в коем\b|\bкак"
            r" ни\b|\bво что бы то ни"
            r"|\b(?:пока|если|почему|разве|или|либо|чуть ли|вряд ли|едва ли|когда) не\w*\b|\bничего,? кроме\b"
            r"|(?:^|[.!?—«\"-] ?)нет[,.!]|\bне [^.!?]*\?|\bникак не\b|\bне один\b|\bне\w* (?:же|ли)\b"
        ),
        plain=(
            r"\b(?:не|нет|никогда|никто|никого|никому|ничего|ничто|ничем|нигде|никуда|никак(?:ой|ая|ое"
            r"|ие|их|им|ого)|нельзя"
            r"|невозможно)\b"
        ),
        hidden=(
            r"\b(?:ошибк|пуст|сбо)\w*|"
            r"\b(?:ни|без|безо|не\w+|ни\w+|мало|мал\w+|редк\w+|едва|только|лишь|кроме|против|вместо"
            r"|пока|до|еще|ещё|уже"
            r"|слишком|трудно|сложн\w+|плох\w*|вне|вряд)\b"
            r"|\b(?:бес|без|отсут|отказ|отверг|отклон|запре|избе|потер|утра|прекра|лиш|исключ|анти"
            r"|контр|дефицит|недо"
            r"|предотвр|останов|провал|сомне|низк|меньш|сниж|пропус|упуст|забы|перест|противо|а(?:сим"
            r"|тип|бак|сеп)|дис|ир|им|ин)\w*"
        ),
    ),
    "ja": Negations(
        formal=(
            r"だけ(?:で|じゃ)(?:は)?な[くい]|のみならず|かもしれ(?:ない|ません)|なければ(?:な(?:らない"
            r"|りません|らず)|いけ(?:ない|ません)?)|なくては(?:な|いけ)"
            r"|ねばな|違いな[いく]|違いあり|(?:に|は)(?:過ぎ|すぎ)(?:ない|ません|ず)|しかな|しかあり"
            r"|(?:では|じゃ)(?:ない|ありません)(?:か|でしょう|だろう)"
            r"|(?:ない|ません)(?:か|だろうか|でしょうか|の[?？])|やむを得|少なくな|少なくと|間もな"
            r"|まもな|ざるを得|にほかな|だけでなく|のみでな"
            r"|かかわら|関わら|問わず|とは限ら|つまらな|申し訳(?:ない|あり(?:ません)?)|すみません|もったいな"
            r"|なくな(?:っ|る)|ないうち|ないよう|ならない|少な|危な|切な|汚な|しかたな|仕方な|頼りな"
            r"|情けな|くだらな|とんでもな|いけな|いけません|どころか|めったに|滅多に"
            r"|おもわず|思わず|相変わらず|あいかわらず|必ず|まず|みず|いずれ|はず|わずか|何もかも"
            r"|なくて(?:も|は)|ないと"
        ),
        plain=r"[ぁ-んー一-鿿]な(?:い|かった)(?=[。、とのこでがしよねわ！!？?」）\s]|$)|ません|ではな|じゃな",
        hidden=(
            r"[無无]|[別别]|[沒没]|不|未|非|否|禁|失|欠|避|防|拒|以外|だけ|しか|のみ|れず|せず|ずに|ずと|なし|逃|反|止"
            r"|やめ|難|まい|なけ|なさ|なく|ない|なか|ませ|初めて|ぬ"
            r"|いいえ|いや|別|ほか|足り|離|外|絶|却|断|違|誤|途切|まで|ゼロ|ダメ|駄目|苦|悪"
        ),
    ),
    "zh": Negations(
        formal=(
            r"了没[?？]|忍不住|无处不在|不停|不符|看不起|没电|不(?:仅|但|只|光|单|断|过|同|少|久|管|论|错|安|一"
            r"|足|禁|由得|妨|愧|得不|料|已|外乎|如|利|满|幸|惜|时|法|明|当"
            r"|良|平|等|凡|适|情愿|情不愿|然|言而喻|言自明|朽|锈|动产|了了之|止|到|超过|再)|(?:是|能|会"
            r"|可|想|要|好|对|行)不(?:是|能|会|可|想|要|好|对|行)"
            r"|有没有|没有[?？]|不变|不饱和|不舒服|不可少|不可或缺|不愿透露|不多了|没有关系|差不多"
            r"|对不起|了不起|无(?:论|数|疑|线|人机|意|聊|奈|情|比|非|罪|辜|家"
            r"|限|形|偿|缘|视|条件)|未(?:来|婚|必)"
            r"|非(?:常|洲|凡|法|但|正式|同|营利|政府)|除非|是非|没(?:收|落|错|事|关系)|淹没|沉没|出没|埋没"
        ),
        plain=(
            r"不(?:是|会|能|可|要|想|用|应|该|需|愿|敢|肯|知道|允许|建议|存在|支持|影响|依赖|属于|再|曾"
            r"|必|准|许|喜欢|同意|相信|认为)"
            r"|没有|没(?=[^事错关收落人有])|并非|从未|尚未|绝非|决不|毫无|无法|未能|未曾|未经"
        ),
        witnessed=r"不|没",
        hidden=r"不|没|无|未|非|否|别|勿|莫|缺|少|禁|拒|免|失|难|仅|只|才|防|避|除|反|停|止|罢|弃|外",
    ),
}  # fmt: skip
"""By language; a language pack may bring others (`negations_of`)."""


_CONFUSED = {"pt": ("não", "no")}
_LIKELIER = 1.0  # nats


class Contradiction(NamedTuple):
    """A negation on one side alone: why, and the words that deny on either side."""

    why: str
    source: list[str]
    output: list[str]


@dataclass(frozen=True)
class Polarity:
    """A plain negation on one side, and on the other nothing that could stand for it.

    `words` and `confused`, a negation and the word it is taken for, find one that stands in its place.
    """

    source: Negations
    target: Negations
    words: TargetWords | None = None
    confused: tuple[str, str] | None = None

    def compare(self, source: str, output: str) -> Contradiction | None:
        """What contradicts the source in an output; an empty side says neither yes nor no."""
        if not source.strip() or not output.strip():
            return None
        if (words := self.target.plain_in(output)) and not self.source.may_deny(source):
            return Contradiction(
                f"the output says {_quoted(words)}, and nothing in the source says no", [], words
            )
        if (words := self.source.plain_in(source)) and not self.target.may_deny(output):
            return Contradiction(
                f"the source says {_quoted(words)}, and nothing in the output says no", words, []
            )
        if phrase := self.mistaken(source, output):
            why = f"{phrase[0]!r} says no where {phrase[1]!r} would fit, and the source denies less often"
            return Contradiction(why, [], [phrase[0]])
        return None

    def contradict(self, source: str, output: str, references: Sequence[str]) -> Contradiction | None:
        """Where an output says no and neither source nor reference does, or the reverse.

        A reference of the same language is the better witness, so that only plain negations of the source
        count; without one nothing is said.
        """
        if not source.strip() or not output.strip() or not references:
            return None
        there, here = self.source.plain_in(source), self.target.witnessed_in(output)
        if here and not there and not any(map(self.target.may_deny, references)):
            why = f"the output says {_quoted(here)}, and neither source nor reference says no"
            return Contradiction(why, [], here)
        # What stands in output and reference alike is not what stands for the negation.
        denies = any(self.target.may_deny(output, beside=reference) for reference in references)
        if there and all(map(self.target.witnessed_in, references)) and not (here or denies):
            why = f"the source says {_quoted(there)}, and nothing in the output says no"
            return Contradiction(why, there, [])
        return None

    def contradictions(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """The same for each of these that has a reference, in order."""
        suspicions = []
        for answer in answers:
            found = self.contradict(answer.source.text, answer.output.text, answer.references)
            if found:
                evidence = {"source": found.source, "output": found.output}
                suspicions.append(Suspicion(answer.id, found.why, 1.0, evidence))
        return suspicions

    def mistaken(self, source: str, output: str) -> tuple[str, str] | None:
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
    """What compares negations in a pair; `None` where those of a language are not listed."""
    languages = [str(language).partition("-")[0] for language in (pair.source, pair.target)]
    source, target = map(negations_of, languages)
    if source is None or target is None:
        return None
    return Polarity(source, target, target_words(pair), _CONFUSED.get(languages[1]))


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
