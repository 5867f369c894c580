"""Sentences that have nothing to do with one another: an expression that matches all of them says nothing.

Between them they have each usual mark of punctuation, and one has none, so that an expression such as
"there is no comma" does not match all of them.
"""

from __future__ import annotations

from mtassay.errors import MtassayError
from mtassay.languages import parse_pair

__all__ = ["battery"]

_LATIN = (
    "Yes",
    "Kto tam?",
    "47 + 5 = 52",
    "She sells sea shells by the sea shore.",
    "Gestern fuhr der Zug nach Köln um 8:15 Uhr ab; niemand stieg ein!",
    "« Où est passée l'église ? », dit-elle — puis elle partit…",
    "Minha avó (a mãe do meu pai) gosta de \"pão\", 'queijo' e “vinho”.",
    "Kahvia, „teetä“ ja maitoa, kiitos",
)
_CYRILLIC = (
    "Да",
    "Кто там?",
    "47 + 5 = 52 рубля",
    "Вчера поезд ушёл в 8:15; никто не сел!",
    "«Где бабушка?» — спросила она (шёпотом)…",
    "Кава, „чай“ і молоко, дякую",
    "Мой брат купил \"хлеб\", 'сыр' и “вино”.",
)
_HAN = (
    "是",
    "谁在那里？",
    "47 加 5 等于 52",
    "昨天火车八点十五分开走了；没有人上车！",
    "“奶奶在哪儿？”她问（小声地）……",
    "咖啡、茶，还有牛奶，谢谢。",
    "我哥哥买了 \"面包\", '奶酪' (便宜的): 真好! 是吗? 是——好; 走了.",
)
_BY_LANGUAGE = {**dict.fromkeys(("ru", "uk", "bg", "be", "mk", "kk"), _CYRILLIC), "zh": _HAN}
_OTHER_SCRIPTS = (
    "ja ko ar fa ur he yi hi bn mr ne ta te ml kn gu pa si th lo km my ka hy am el or as ps ug bo"
)


def battery(langpair: str) -> tuple[str, ...]:
    """Sentences in the script of the target language; some and the empty text where we have none.

    >>> len(battery("en-de")), battery("en-th")[0]
    (8, '')
    """
    try:
        target = parse_pair(langpair).target.code
    except MtassayError:
        return _LATIN
    return ("", *_LATIN) if target in _OTHER_SCRIPTS.split() else _BY_LANGUAGE.get(target, _LATIN)
