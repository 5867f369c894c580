"""The XML of WMT test sets since 2021: sources, references and system outputs, by document."""

from __future__ import annotations

from mtassay.errors import InputError
from mtassay.formats.markup import Element, XmlFormat, descendants, flat_text, language_of, line_of
from mtassay.formats.table import ColumnRole, Table, TableBuilder
from mtassay.languages import Language, Pair

_ROLES: dict[str, ColumnRole] = {"src": "source", "ref": "reference", "hyp": "output"}


class WmtXml(XmlFormat):
    """A `dataset` of documents."""

    name = "wmt"
    suffixes = (".xml",)
    roots = ("dataset",)
    roots_shown = "dataset (WMT)"

    def read_root(self, root: Element, path: str, pair: Pair | None) -> Table:
        """One row per `seg`, with the id `DOCUMENT:SEGMENT`, in the order of the file.

        Texts in languages other than the pair's are left out. Attributes of the document (`domain`,
        `origlang`, `testsuite`) and the id of its `collection` become tags.
        """
        table = TableBuilder(path, says_missing=True)
        other_languages: set[str] = set()
        for document in descendants(root, "doc"):
            document_id = document.get("id")
            if not document_id:
                raise InputError("doc without id", path=path, line=line_of(document))
            tags = {
                key: document.get(key) for key in ("domain", "origlang", "testsuite") if document.get(key)
            }
            collection = next(document.iterancestors("collection"), None)
            if collection is not None and collection.get("id"):
                tags["collection"] = collection.get("id")
            for tag, role in _ROLES.items():
                for version in descendants(document, tag):
                    stated = version.get("lang") or version.get("language")
                    if not _is_wanted(stated, pair, role):
                        other_languages.add(stated)
                        continue
                    name = (
                        "" if role == "source" else version.get("translator") or version.get("system") or ""
                    )
                    for segment in descendants(version, "seg"):
                        line = line_of(segment)
                        segment_id = segment.get("id")
                        if not segment_id:
                            raise InputError("seg without id", path=path, line=line)
                        row = table.row(
                            f"{document_id}:{segment_id}", line=line, document=document_id, tags=tags
                        )
                        table.put(row, role, flat_text(segment), line=line, name=name)
        built = table.build()
        if not built.columns:
            seen = f"; it holds {', '.join(sorted(other_languages))}" if other_languages else ""
            raise InputError(f"no segments{f' for {pair}' if pair else ''}{seen}", path=path)
        return built


def _is_wanted(stated: str | None, pair: Pair | None, role: ColumnRole) -> bool:
    language = language_of(stated)
    if pair is None or language is None:
        return True
    wanted: Language = pair.source if role == "source" else pair.target
    return language.matches(wanted)
