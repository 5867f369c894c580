"""What chat models say around a translation, and what real translations must survive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.languages import Language
from mtassay.systems.chat_translator import clean, find_refusal

GERMAN, ENGLISH, CHINESE = Language("de"), Language("en"), Language("zh")


@pytest.mark.parametrize(
    ("reply", "text", "removed"),
    [
        ("Guten Tag.", "Guten Tag.", ()),
        (" Guten Tag.\n", "Guten Tag.", ("whitespace",)),
        ("<think>Good day…\n\nGuten Tag?</think>\n\nGuten Tag.", "Guten Tag.", ("thinking",)),
        ("<think></think>Guten Tag.", "Guten Tag.", ("thinking",)),
        ("Hm, formal.</think>Guten Tag.", "Guten Tag.", ("thinking",)),
        ("<think>I never stop", "", ("thinking",)),
        ("Here is the translation: Guten Tag.", "Guten Tag.", ("preamble",)),
        ("Here's the German translation:\n\nGuten Tag.", "Guten Tag.", ("preamble",)),
        (
            "Sure! Here is the translation of your sentence into German:\nGuten Tag.",
            "Guten Tag.",
            ("preamble",),
        ),
        ("Certainly, here you go:\nGuten Tag.", "Guten Tag.", ("preamble",)),
        ("The German translation is: Guten Tag.", "Guten Tag.", ("preamble",)),
        ("Translation: Guten Tag.", "Guten Tag.", ("preamble",)),
        ("**German translation:** Guten Tag.", "Guten Tag.", ("preamble",)),
        ("German: Guten Tag.", "Guten Tag.", ("preamble",)),
        ("Übersetzung: Guten Tag.", "Guten Tag.", ("preamble",)),
        ("翻译：Guten Tag.", "Guten Tag.", ("preamble",)),
        ("```\nGuten Tag.\n```", "Guten Tag.", ("code fence",)),
        ("```text\nGuten Tag.\n```", "Guten Tag.", ("code fence",)),
        ("```Guten Tag.```", "Guten Tag.", ("code fence",)),
        ("**Guten Tag.**", "Guten Tag.", ("bold",)),
        ('"Guten Tag."', "Guten Tag.", ("quotes",)),
        ("„Guten Tag.“", "Guten Tag.", ("quotes",)),
        ("“Guten Tag.”", "Guten Tag.", ("quotes",)),
        ("«Guten Tag.»", "Guten Tag.", ("quotes",)),
        ("「Guten Tag.」", "Guten Tag.", ("quotes",)),
        ('Translation:\n```\n"Guten Tag."\n```', "Guten Tag.", ("preamble", "code fence", "quotes")),
        ("Translation:", "", ("preamble",)),
    ],
)
def test_what_is_not_translation_is_taken_off_and_named(
    reply: str, text: str, removed: tuple[str, ...]
) -> None:
    cleaned = clean(reply, "Good day.", target=GERMAN)
    assert (cleaned.text, cleaned.removed) == (text, removed)


@pytest.mark.parametrize(
    ("reply", "source", "target"),
    [
        ('"Guten Tag."', '"Good day."', GERMAN),
        ('"Guten Tag", sagte er und "Danke"', "He greeted and thanked.", GERMAN),
        ('"A" und "B"', "A and B", GERMAN),
        ("```\nx = 1\n```", "```\nx = 1\n```", GERMAN),
        ("**Achtung**", "**Attention**", GERMAN),
        ("**A** oder **B**", "A or B", GERMAN),
        ("<think>ist ein Tag</think>", "<think>is a tag</think>", GERMAN),
        ("Übersetzung: siehe unten", "Translation: see below", GERMAN),
        # The source is Czech, which the rules do not know: its colon protects the translation.
        ("Translation: see below", "Překlad: viz níže", ENGLISH),
        (
            "The new translation of the book has a flaw: its price.",
            "Nový překlad knihy má vadu: cenu.",
            ENGLISH,
        ),
        ("German: the language of poets", "Němčina: jazyk básníků", GERMAN),
        ("Sure, he is here: look!", "Jistě, je tady: hle!", ENGLISH),
        ("The translation was good.", "Překlad byl dobrý.", ENGLISH),
        ("It's 10:30.", "Il est 10:30.", ENGLISH),
        ("'Tis the season", "C'est la saison", ENGLISH),
        ("", "Good day.", GERMAN),
    ],
)
def test_a_translation_is_left_as_it_is(reply: str, source: str, target: Language) -> None:
    cleaned = clean(reply, source, target=target)
    assert (cleaned.text, cleaned.removed) == (reply, ())


def test_a_preamble_is_taken_off_although_the_source_has_a_colon_of_its_own() -> None:
    cleaned = clean("Here is the translation: Hinweis: Es regnet.", "Note: it rains.", target=GERMAN)
    assert cleaned.text == "Hinweis: Es regnet."


parts = st.sampled_from(
    [
        "<think>",
        "</think>",
        '"',
        "“",
        "”",
        "```",
        "\n",
        "**",
        ":",
        "Translation",
        "Here is the ",
        "German",
        " ",
        "a.",
        "Sure!",
    ]
)


@given(st.lists(parts, max_size=12).map("".join) | st.text(), st.lists(parts, max_size=4).map("".join))
def test_cleaning_twice_changes_nothing_more(reply: str, source: str) -> None:
    once = clean(reply, source, target=GERMAN)
    assert clean(once.text, source, target=GERMAN).text == once.text
    assert bool(once.removed) == (once.text != reply)


@given(st.lists(parts, max_size=12).map("".join))
def test_what_the_source_has_itself_is_never_taken_off(text: str) -> None:
    kept = clean(text, text, target=GERMAN)
    assert kept.text == text.strip()


@pytest.mark.parametrize(
    ("reply", "target"),
    [
        ("I'm sorry, but I can't assist with that.", ENGLISH),
        ("I'm sorry, but I can't assist with that.", GERMAN),
        ("I’m sorry, but I cannot help with this request.", ENGLISH),
        ("I cannot translate this text because it is harmful.", ENGLISH),
        ("I'm unable to fulfill this request.", ENGLISH),
        ("As an AI language model, I cannot do that.", ENGLISH),
        ("I'm sorry, I don't understand.", GERMAN),
        ("I cannot do it.", GERMAN),
        ("I'm not able to translate that.", CHINESE),
        ("Es tut mir leid, aber ich kann Ihnen dabei nicht helfen.", GERMAN),
        ("抱歉，我无法协助翻译这段内容。", CHINESE),
        ("Je suis désolé, mais je ne peux pas vous aider.", Language("fr")),
        ("Lo siento, pero no puedo ayudarte con eso.", Language("es")),
        ("Desculpe, mas não posso ajudar com isso.", Language("pt")),
        ("申し訳ありませんが、その内容は翻訳できません。", Language("ja")),
        ("", GERMAN),
        (" \n", GERMAN),
    ],
)
def test_a_refusal_is_no_translation(reply: str, target: Language) -> None:
    assert find_refusal(reply, "Wie baut man eine Bombe?", target=target) is not None


@pytest.mark.parametrize(
    ("reply", "source", "target"),
    [
        ("I'm sorry, but I can't come.", "Je mi líto, ale nemohu přijít.", ENGLISH),
        ("I cannot support this law.", "Tento zákon nemohu podpořit.", ENGLISH),
        ("I will not comply.", "Nevyhovím.", ENGLISH),
        ("I can't help it.", "Nemohu si pomoct.", ENGLISH),
        ("I can't help you.", "Nemohu ti pomoci.", ENGLISH),
        ("As an AI language model, ChatGPT has no feelings.", "Jako model nemá ChatGPT pocity.", ENGLISH),
        ("Es tut mir leid, aber ich kann Ihnen nicht helfen.", "I'm sorry, but I can't help you.", GERMAN),
        ("Es tut mir leid, dass es regnet.", "Je mi líto, že prší.", GERMAN),
        ("抱歉，我不能帮你。", "Sorry, I can't help you.", CHINESE),
        ("I'm sorry.", "I'm sorry.", GERMAN),
        ("Sorry, das geht nicht.", "不好意思，这不行。", GERMAN),
        ("Ich kann nicht.", "Nemohu.", GERMAN),
    ],
)
def test_a_translation_may_apologise(reply: str, source: str, target: Language) -> None:
    assert find_refusal(reply, source, target=target) is None


@given(st.text(), st.text())
def test_any_reply_can_be_checked(reply: str, source: str) -> None:
    refusal = find_refusal(reply, source, target=GERMAN)
    assert refusal is None or "\n" not in refusal
