"""What a judge is told, in the manner of GEMBA (Kocmi and Federmann 2023), in English or in Portuguese.

"Large Language Models Are State-of-the-Art Evaluators of Translation Quality" for the score, "GEMBA-MQM:
Detecting Translation Quality Error Spans with GPT-4" for the errors; two severities, as in ESA. That the
answer is JSON, and the objection to an earlier one, are ours. There are no examples: what they show, a judge
finds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from mtassay.languages import Language, Pair
from mtassay.metrics.llm.replies import CATEGORIES
from mtassay.systems.conversations import objection
from mtassay.tools.chat import Message

__all__ = ["First", "Form", "JudgedTexts", "PromptLanguage", "messages", "object_to"]

Form = Literal["score", "errors"]
PromptLanguage = Literal["en", "pt"]
First = Literal["source", "output"]


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """What a judge sees: a source, an output and, where it is to see one, a reference."""

    source: str
    output: str
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class _Wording:
    """The sentences of one language, with places for names of languages; without `wrong`, the usual one."""

    score: str
    errors: str
    compared: str
    source: str
    output: str
    reference: str
    wrong: str
    languages: dict[str, str]

    def name(self, language: Language) -> str:
        return self.languages.get(language.code, language.name)


_WORDINGS: dict[PromptLanguage, _Wording] = {
    "en": _Wording(
        score=(
            "Score the following translation from {source} to {target}{compared} on a continuous scale from "
            '0 to 100, where a score of zero means "no meaning preserved" and a score of one hundred means '
            '"perfect meaning and grammar". Answer with nothing but JSON: {{"score": NUMBER}}.'
        ),
        errors=(
            "You are an annotator for the quality of machine translation. Identify all errors in the "
            "following translation from {source} to {target}{compared}. For each error give the words of "
            "the translation that are wrong, copied exactly (for an omission: the words of the source that "
            "are missing), its category ({categories}) and its severity: major if the meaning changes or "
            "cannot be understood, else minor. Answer with nothing but JSON: "
            '{{"errors": [{{"span": WORDS, "category": CATEGORY, "severity": SEVERITY}}, …]}}, with an '
            "empty list where there is no error."
        ),
        compared=" with respect to the human reference",
        source="{source} source",
        output="{target} translation",
        reference="{target} human reference",
        wrong="",
        languages={},
    ),
    "pt": _Wording(
        score=(
            "Avalie a seguinte tradução do {source} para o {target}{compared} numa escala contínua de 0 a "
            '100, em que zero significa "nenhum significado preservado" e cem significa "significado e '
            'gramática perfeitos". Responda apenas com JSON: {{"score": NÚMERO}}.'
        ),
        errors=(
            "Você é um anotador da qualidade de traduções automáticas. Identifique todos os erros na "
            "seguinte tradução do {source} para o {target}{compared}. Para cada erro, dê as palavras da "
            "tradução que estão erradas, copiadas exatamente (no caso de uma omissão: as palavras do "
            "original que faltam), a categoria ({categories}) e a gravidade: major se o sentido muda ou não "
            "se entende, senão minor. Responda apenas com JSON: "
            '{{"errors": [{{"span": PALAVRAS, "category": CATEGORIA, "severity": GRAVIDADE}}, …]}}, com '
            "uma lista vazia onde não há erro."
        ),
        compared=" em relação à referência humana",
        source="Original em {source}",
        output="Tradução em {target}",
        reference="Referência humana em {target}",
        wrong="Esta resposta não pode ser usada: {objection}. Responda de novo, apenas com o JSON pedido.",
        languages={
            "ar": "árabe",
            "de": "alemão",
            "en": "inglês",
            "es": "espanhol",
            "fr": "francês",
            "it": "italiano",
            "ja": "japonês",
            "ko": "coreano",
            "nl": "holandês",
            "pl": "polonês",
            "pt": "português",
            "ru": "russo",
            "zh": "chinês",
        },
    ),
}


def messages(
    texts: JudgedTexts, pair: Pair, *, form: Form, prompt: PromptLanguage = "en", first: First = "source"
) -> list[Message]:
    """The conversation that asks for a judgement of one output.

    `first` is which of source and output stands first; a reference stands between the two. Texts are written
    as JSON strings, so that nothing in them looks like the end of one.
    """
    wording = _WORDINGS[prompt]
    names = {"source": wording.name(pair.source), "target": wording.name(pair.target)}
    task = (wording.score if form == "score" else wording.errors).format(
        **names,
        compared="" if texts.reference is None else wording.compared,
        categories=", ".join(CATEGORIES),
    )
    lines = [
        _line(wording.source, names, texts.source),
        *([] if texts.reference is None else [_line(wording.reference, names, texts.reference)]),
        _line(wording.output, names, texts.output),
    ]
    if first == "output":
        lines.reverse()
    return [{"role": "user", "content": "\n".join([task, "", *lines])}]


def object_to(reply: str, told: str, *, prompt: PromptLanguage = "en") -> list[Message]:
    """What follows a reply that cannot be used, in the language of the prompt."""
    return objection(reply, told, wording=_WORDINGS[prompt].wrong)


def _line(label: str, names: dict[str, str], text: str) -> str:
    return f"{label.format(**names)}: {json.dumps(text, ensure_ascii=False)}"
