"""Prompts and examples: what a model is told, and what is said about a wrong file."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.languages import parse_pair
from mtassay.systems.chat_translator import DEFAULT, Shot, read_prompt, read_shots

PAIR = parse_pair("en-pt-BR")
SYSTEM = "You are a helpful assistant that translates English to Portuguese (Brazil)."


def write(tmp_path: Path, content: str | bytes) -> str:
    file = tmp_path / "file.txt"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(file)


def test_the_default_is_the_prompt_of_the_paper_for_any_pair() -> None:
    assert DEFAULT.messages("One.", pair=PAIR, context=None) == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": "One."},
    ]


def test_context_is_told_apart_from_the_text() -> None:
    system, user = DEFAULT.messages("One.", pair=PAIR, context="Zero.")
    assert system["content"] == (
        f"{SYSTEM} The text follows this context, which is not to be translated:\n\nZero."
    )
    assert user["content"] == "One."


def test_examples_are_earlier_turns() -> None:
    messages = DEFAULT.messages("Two.", pair=PAIR, context=None, shots=[Shot("One.", "Um.")])
    assert [(message["role"], message["content"]) for message in messages[1:]] == [
        ("user", "One."),
        ("assistant", "Um."),
        ("user", "Two."),
    ]


def test_a_file_may_have_a_system_part(tmp_path: Path) -> None:
    content = (
        "Translate ${source} to ${target}.\r\n---\r\n${source_name}: ${text}\n${target_name}: (${context})"
    )
    prompt = read_prompt(write(tmp_path, content))
    messages = prompt.messages("One.", pair=PAIR, context="Zero.", shots=[Shot("Two.", "Dois.")])
    assert [message["content"] for message in messages] == [
        "Translate en to pt-BR.",
        "English: Two.\nPortuguese (Brazil): ()",
        "Dois.",
        "English: One.\nPortuguese (Brazil): (Zero.)",
    ]


def test_a_file_without_one_is_all_user(tmp_path: Path) -> None:
    prompt = read_prompt(write(tmp_path, "\ufeffSay ${text} in ${target_name}!\n"))
    assert prompt.messages("One.", pair=PAIR, context="Zero.") == [
        {"role": "user", "content": "Say One. in Portuguese (Brazil)!"}
    ]


def test_a_text_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    assert DEFAULT.messages("${target}", pair=PAIR, context=None)[1]["content"] == "${target}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Translate!", ": the prompt has no ${text}. Put it where the text to translate goes."),
        ("${text}\n---\nTranslate!", ": the prompt has no ${text}. Put it where the text to translate goes."),
        ("Hi.\n${txt}", " line 2: there is no ${txt}. Available: ${text}, ${context}, ${source}, ${target},"),
        ("${HOME} ${text}", " line 1: there is no ${HOME}."),
        ("a\n---\nb\n---\n${text}", ": more than one line '---'."),
        (b"\xff ${text}", ": is not UTF-8."),
    ],
)
def test_a_wrong_prompt_is_one_line_that_names_the_place(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as raised:
        read_prompt(path)
    assert str(raised.value).startswith(f"{path}{message}")


def test_examples_are_read_line_by_line(tmp_path: Path) -> None:
    path = write(tmp_path, "One.\tUm.\r\n\nTwo \u2028 lines.\tDuas.\n")
    assert read_shots(path) == (Shot("One.", "Um."), Shot("Two \u2028 lines.", "Duas."))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("One.\tUm.\nTwo.", " line 2: write source, a tab, and its translation"),
        ("One.\tUm.\tX", " line 1: write source, a tab, and its translation"),
        ("One.\t", " line 1: write source, a tab, and its translation"),
        ("", ": there are no examples in it"),
    ],
)
def test_wrong_examples_are_one_line_that_names_the_place(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as raised:
        read_shots(path)
    assert str(raised.value) == f"{path}{message}"


@pytest.mark.parametrize("read", [read_prompt, read_shots])
def test_a_missing_file_is_one_line(read: object) -> None:
    assert callable(read)
    with pytest.raises(InputError, match=r"^nowhere\.txt: cannot be read: No such file or directory$"):
        read("nowhere.txt")
