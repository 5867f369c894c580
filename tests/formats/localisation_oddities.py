"""What real localisation files look like: bytes, and the units that must be read from them."""

# ruff: noqa: E501  (a file on one line is easier to read here)
from __future__ import annotations

from typing import NamedTuple


class Oddity(NamedTuple):
    """A file in one format, what is odd about it, and some of its units: id to target."""

    suffix: str
    what: str
    data: bytes
    units: dict[str, str | None]


def _po(
    what: str, body: str, units: dict[str, str | None], *, encoding: str = "utf-8", head: str = ""
) -> Oddity:
    head = head or 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    return Oddity(".po", what, (head + body).encode(encoding), units)


_PO_HEAD = 'msgid ""\nmsgstr ""\n"Language: %s\\n"\n"Plural-Forms: nplurals=%d; plural=0;\\n"\n\n'

PO = [
    _po("unwrapped long lines", f'msgid "a"\nmsgstr "{"Wort " * 40}"\n', {"a": "Wort " * 40}),
    _po("wrapped early", 'msgid "a"\nmsgstr ""\n"eins "\n"zwei"\n', {"a": "eins zwei"}),
    _po("CRLF", 'msgid "a"\r\nmsgstr ""\r\n"x\\n"\r\n"y"\r\n', {"a": "x\ny"}),
    _po("no line end at the end", 'msgid "a"\nmsgstr "b"', {"a": "b"}),
    Oddity(".po", "byte order mark", b'\xef\xbb\xbfmsgid "a"\nmsgstr "b"\n', {"a": "b"}),
    _po("Latin-1", 'msgid "a"\nmsgstr "é"\n', {"a": "é"}, encoding="latin-1",
        head='msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n'),
    _po("KOI8-R", 'msgid "a"\nmsgstr "Мир"\n', {"a": "Мир"}, encoding="koi8-r",
        head='msgid ""\nmsgstr "Content-Type: text/plain; charset=KOI8-R\\n"\n\n'),
    _po("contexts", 'msgctxt "menu"\nmsgid "Open"\nmsgstr "Öffnen"\n\nmsgid "Open"\nmsgstr "Offen"\n',
        {"menu|Open": "Öffnen", "Open": "Offen"}),
    _po("an empty msgid with context", 'msgctxt "x"\nmsgid ""\nmsgstr "y"\n', {"x|": "y"}),
    _po("plurals", 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "a"\nmsgstr[1] "b"\nmsgstr[2] ""\n',
        {"%d file[0]": "a", "%d file[1]": "b", "%d file[2]": None}, head=_PO_HEAD % ("pl", 3)),
    _po("flags before notes", '#, c-format, fuzzy\n#. a note\n#: a.c:1\nmsgid "%s"\nmsgstr "%s!"\n', {"%s": "%s!"}),
    _po("previous texts", '#, fuzzy\n#| msgid "Old"\nmsgid "New"\nmsgstr "Alt"\n', {"New": "Alt"}),
    _po("obsolete entries", '#~ msgid "gone"\n#~ msgstr "weg"\n\nmsgid "a"\nmsgstr "b"\n\n#~ msgid "end"\n#~ msgstr ""\n',
        {"a": "b"}),
    _po("a key twice", 'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n', {"a": "b", "a#2": "c"}),
    _po("no blank lines", 'msgid "a"\nmsgstr "b"\nmsgid "c"\nmsgstr "d"\n', {"a": "b", "c": "d"}),
    _po("many blank lines, trailing blanks", '\n\nmsgid "a"  \nmsgstr "b"\t\n\n\n\n', {"a": "b"}),
    _po("tabs and indented strings", 'msgid\t"a"\nmsgstr\t"b"\n\t"c"\n', {"a": "bc"}),
    _po("escapes", 'msgid "a\\tb"\nmsgstr "\\"q\\" \\\\ \\a\\x41\\101"\n', {"a\tb": '"q" \\ \aAA'}),
    _po("no header", "# comment only\n", {}, head='msgid "a"\nmsgstr ""\n'),
    Oddity(".pot", "a template", b'msgid ""\nmsgstr "Content-Type: text/plain; charset=CHARSET\\n"\n\n'
           b'#: a.py:1\nmsgid "Hi"\nmsgstr ""\n', {"Hi": None}),
    _po("a separator of Unicode in a text", 'msgid "a"\nmsgstr "x\u2028y\x85z"\n', {"a": "x\u2028y\x85z"}),
]  # fmt: skip


def _x1(what: str, unit: str, units: dict[str, str | None], head: str = "", attributes: str = "") -> Oddity:
    head = head or '<?xml version="1.0" encoding="UTF-8"?>\n'
    text = (
        f'{head}<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n <file original="f" '
        f'source-language="en" target-language="de" datatype="plaintext"{attributes}>\n  <body>\n   {unit}\n'
        "  </body>\n </file>\n</xliff>\n"
    )
    return Oddity(".xlf", what, text.encode(), units)


XLIFF = [
    _x1("no target", '<trans-unit id="1"><source>A</source></trans-unit>', {"f:1": None}),
    _x1("an empty target", '<trans-unit id="1"><source>A</source><target state="new"/></trans-unit>', {"f:1": None}),
    _x1("single quotes, odd blanks", "<trans-unit  id = '1' ><source >A</source ><target\n>B</target></trans-unit>",
        {"f:1": "B"}),
    _x1("inline codes", '<trans-unit id="1"><source><x id="1"/>A <g id="2">b</g></source>'
        '<target><g id="2">B</g> a<x id="1"/></target></trans-unit>', {"f:1": '<g id="2">B</g> a<x id="1"/>'}),
    _x1("codes with content", '<trans-unit id="1"><source>A <ph id="1">{0}</ph></source>'
        '<target><ph id="1">{0}</ph> &lt;b&gt;</target></trans-unit>', {"f:1": '<ph id="1">{0}</ph> <b>'}),
    _x1("nested sub-flows", '<trans-unit id="1"><source>A</source><target><ph id="1">&lt;img alt="<sub>x</sub>"&gt;</ph>B'
        "</target></trans-unit>", {"f:1": '<ph id="1">&lt;img alt="<sub>x</sub>"&gt;</ph>B'}),
    _x1("CDATA", '<trans-unit id="1"><source>A</source><target><![CDATA[<b>B</b> & co]]></target></trans-unit>',
        {"f:1": "<b>B</b> & co"}),
    _x1("character references", '<trans-unit id="1"><source>A</source><target>&#66;&#x2014;&amp;&quot;&apos;</target>'
        "</trans-unit>", {"f:1": "B—&\"'"}),
    _x1("translate=no on a group", '<group translate="no"><trans-unit id="1"><source>A</source></trans-unit></group>',
        {"f:1": None}),
    _x1("alt-trans and notes", '<trans-unit id="1"><source>A</source><target>B</target><note>n</note>'
        "<alt-trans><source>A</source><target>C</target></alt-trans></trans-unit>", {"f:1": "B"}),
    _x1("seg-source", '<trans-unit id="1"><source>A. B.</source><seg-source><mrk mtype="seg" mid="1">A.</mrk> '
        '<mrk mtype="seg" mid="2">B.</mrk></seg-source></trans-unit>', {"f:1": None}),
    _x1("layout in texts", '<trans-unit id="1"><source>A</source><target>\n     B\n     c\n   </target></trans-unit>',
        {"f:1": "B c"}),
    _x1("kept space", '<trans-unit id="1" xml:space="preserve"><source>A</source><target> B\n  c </target></trans-unit>',
        {"f:1": " B\n  c "}),
    _x1("comments between and within", '<trans-unit id="1"><!-- x > y --><source>A</source><target>B<!-- c -->d</target>'
        "</trans-unit>", {"f:1": "Bd"}),
    _x1("a tool's own namespace", '<trans-unit id="1" xmlns:o="urn:o" o:x="a>b"><source>A</source><target>B</target>'
        "<o:y/></trans-unit>", {"f:1": "B"}),
    Oddity(".xliff", "a prefix on all", b'<x:xliff version="1.2" xmlns:x="urn:x"><x:file original="f"><x:body>'
           b'<x:trans-unit id="1"><x:source>A</x:source></x:trans-unit></x:body></x:file></x:xliff>', {"f:1": None}),
    Oddity(".xliff", "version 2", b'<xliff version="2.0" srcLang="en" trgLang="de">\r\n<file id="f"><unit id="u">'
           b'<segment><source>A <pc id="1">b</pc></source><target>B <pc id="1">b</pc></target></segment>'
           b"</unit></file></xliff>", {"f:u": 'B <pc id="1">b</pc>'}),
    Oddity(".xlf", "several segments", b'<xliff version="2.1" srcLang="en"><file id="f"><unit id="u"><segment id="s1">'
           b"<source>A</source></segment><ignorable><source> </source></ignorable><segment><source>B</source>"
           b"<target>C</target></segment></unit></file></xliff>", {"f:u:s1": None, "f:u:2": "C"}),
    Oddity(".xlf", "UTF-16", '<?xml version="1.0" encoding="UTF-16"?><xliff><file original="f"><body><trans-unit id="1">'
           "<source>A</source><target>é</target></trans-unit></body></file></xliff>".encode("utf-16"), {"f:1": "é"}),
    Oddity(".xlf", "Latin-1", '<?xml version="1.0" encoding="ISO-8859-1"?><xliff><file original="f"><body>'
           '<trans-unit id="1"><source>A</source><target>é</target></trans-unit></body></file></xliff>'.encode("latin-1"),
           {"f:1": "é"}),
]  # fmt: skip


def _android(
    what: str, body: str, units: dict[str, str | None], head: str = "<?xml version='1.0' encoding='utf-8'?>\n"
) -> Oddity:
    return Oddity(".xml", what, f"{head}<resources>\n    {body}\n</resources>\n".encode(), units)


ANDROID = [
    _android("escaped quotes", r"""<string name="a">Don\'t say \"no\"</string>""", {"a": "Don't say \"no\""}),
    _android("a quoted text", """<string name="a">"Don't  stop "</string>""", {"a": "Don't  stop "}),
    _android("escapes", r'<string name="a">x\ny\tz\u00e9\\ \@ \?</string>', {"a": "x\ny\tzé\\ @ ?"}),
    _android("layout", '<string name="a">\n        One\n        two\n    </string>', {"a": "One two"}),
    _android("an escaped blank", r'<string name="a">\u0020x\u0020</string>', {"a": " x "}),
    _android("CDATA", r'<string name="a"><![CDATA[<b>It\'s</b> & co]]></string>', {"a": "<b>It's</b> & co"}),
    _android("markup", '<string name="a">A <b>bold</b> <a href="http://x/?a=1&amp;b=2">link</a></string>',
             {"a": 'A <b>bold</b> <a href="http://x/?a=1&amp;b=2">link</a>'}),
    _android("xliff:g", '<string name="a" xmlns:xliff="urn:x">Hi <xliff:g id="n" example="Bob">%1$s</xliff:g>!</string>',
             {"a": 'Hi <xliff:g id="n" example="Bob">%1$s</xliff:g>!'}),
    _android("plurals", '<plurals name="f">\n<item quantity="one">%d file</item>\n<item quantity="other">%d files</item>\n</plurals>',
             {"f[one]": "%d file", "f[other]": "%d files"}),
    _android("arrays", '<string-array name="p"><item>A</item><!-- c --><item>B</item></string-array>',
             {"p[0]": "A", "p[1]": "B"}),
    _android("not translatable", '<string name="a" translatable="false">X</string><string name="b">Y</string>',
             {"a": "X", "b": "Y"}),
    _android("other resources", '<color name="c">#fff</color><string name="a">X</string><dimen name="d">1dp</dimen>', {"a": "X"}),
    _android("entities of its own", '<string name="a">Welcome to &app;</string>', {"a": "Welcome to &app;"},
             head='<?xml version="1.0"?>\n<!DOCTYPE resources [\n  <!ENTITY app "X">\n]>\n'),
    _android("an empty element", '<string name="a"/>\n    <string name="b"></string>', {"a": "", "b": ""}),
    _android("a reference", '<string name="a">@string/b</string><string name="b">@me</string>', {"a": "@string/b", "b": "@me"}),
    _android("no declaration, tabs, comments", '<!-- one > two -->\n\t<string name="a">X</string><!--end-->', {"a": "X"}, head=""),
    _android("a key twice", '<string name="a">X</string>\n<string name="a">Y</string>', {"a": "X", "a#2": "Y"}),
    _android("emoji in two escapes", r'<string name="a">\uD83D\uDE00</string>', {"a": "\N{GRINNING FACE}"}),
    _android("HTML in entities", '<string name="a">&lt;b>Hi&lt;/b></string>', {"a": "<b>Hi</b>"}),
    Oddity(".xml", "CRLF and byte order mark", b'\xef\xbb\xbf<resources>\r\n<string name="a">X</string>\r\n</resources>\r\n', {"a": "X"}),
]  # fmt: skip

STRINGS = [
    Oddity(".strings", what, text.encode(encoding), units)
    for what, text, units, encoding in [
        ("usual", '/* A note */\n"a" = "b";\n', {"a": "b"}, "utf-8"),
        ("UTF-16 with mark", '"a" = "é";\n', {"a": "é"}, "utf-16"),
        ("UTF-16 without mark", '"a" = "é";\n', {"a": "é"}, "utf-16-le"),
        ("big-endian", '\ufeff"a" = "é";\n', {"a": "é"}, "utf-16-be"),
        ("byte order mark", '\ufeff"a" = "b";\n', {"a": "b"}, "utf-8"),
        ("bare keys", 'CFBundleName = "App";\nNS.x-y = "z";\n', {"CFBundleName": "App", "NS.x-y": "z"}, "utf-8"),
        ("several on a line", '"a"="b";"c" = "d" ;', {"a": "b", "c": "d"}, "utf-8"),
        ("over several lines", '"a"\n  =\n  "b"\n;\n', {"a": "b"}, "utf-8"),
        ("a line break in a text", '"a" = "x\ny";\n', {"a": "x\ny"}, "utf-8"),
        ("escapes", r'"a\"b" = "x\ny\t\\ \U00e9 \'";' + "\n", {'a"b': "x\ny\t\\ é '"}, "utf-8"),
        ("remarks", '// one "a" = "n";\n"a" = "b"; // two\n/* three */\n', {"a": "b"}, "utf-8"),
        ("a comment with a star and a semicolon", '/** x; * y **/\n"a" = "b;";\n', {"a": "b;"}, "utf-8"),
        ("CRLF, no end", '"a" = "b";\r\n"c" = "d";', {"a": "b", "c": "d"}, "utf-8"),
        ("placeholders", '"%@ files" = "%1$@ von %2$lu Dateien";\n', {"%@ files": "%1$@ von %2$lu Dateien"}, "utf-8"),
        ("a key twice", '"a" = "b";\n"a" = "c";\n', {"a": "b", "a#2": "c"}, "utf-8"),
        ("a key alone", '"a";\n"b" = "";\n', {"a": "a", "b": ""}, "utf-8"),
        ("a property list", '<?xml version="1.0"?>\n<plist version="1.0"><dict>\n\t<key>a</key>\n\t<string>b &amp; c</string>'
         "\n</dict></plist>\n", {"a": "b & c"}, "utf-8"),
    ]
]  # fmt: skip

_DICT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
    '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n<dict>\n\t<key>%%d files</key>\n\t<dict>\n'
    "\t\t<key>NSStringLocalizedFormatKey</key>\n\t\t<string>%s</string>\n\t\t<key>n</key>\n\t\t<dict>\n"
    "\t\t\t<key>NSStringFormatSpecTypeKey</key>\n\t\t\t<string>NSStringPluralRuleType</string>\n"
    "\t\t\t<key>NSStringFormatValueTypeKey</key>\n\t\t\t<string>d</string>\n%s\t\t</dict>\n\t</dict>\n</dict>\n</plist>\n"
)
STRINGSDICT = [
    Oddity(".stringsdict", "usual", (_DICT % ("%#@n@", "<key>one</key><string>%d file</string>\n<key>other</key>"
           "<string>%d files</string>")).encode(), {"%d files.n.one": "%d file", "%d files.n.other": "%d files"}),
    Oddity(".stringsdict", "text around the variable", (_DICT % ("You have %#@n@", "<key>other</key><string/>\n")).encode(),
           {"%d files.NSStringLocalizedFormatKey": "You have %#@n@", "%d files.n.other": ""}),
    Oddity(".stringsdict", "CRLF", (_DICT % ("%#@n@", "<key>other</key><string>a\nb</string>")).replace("\n", "\r\n").encode(),
           {"%d files.n.other": "a\nb"}),
    *(
        Oddity(".stringsdict", what, change(_DICT % ("%#@n@", f"<key>other</key><string>{text}</string>\n")),
               {"%d files.n.other": target})
        for what, text, target, change in [
            ("entities", "a &amp; b &lt; c", "a & b < c", str.encode),
            ("a number for a character", "a&#160;b", "a\u00a0b", str.encode),
            ("a line break that is meant", "a&#10;b", "a\nb", str.encode),
            ("other scripts and emoji", "файлы 文件 🗂", "файлы 文件 🗂", str.encode),
            ("an escaped percent sign", "%d %% of it", "%d %% of it", str.encode),
            ("spaces at the ends", "  %d files  ", "  %d files  ", str.encode),
            ("quotation marks", "\"a\" 'b' „c“", "\"a\" 'b' „c“", str.encode),
            ("a byte order mark", "a", "a", lambda text: b"\xef\xbb\xbf" + text.encode()),
            ("UTF-16", "ä", "ä", lambda text: text.replace("UTF-8", "UTF-16").encode("utf-16")),
            ("comments", "a", "a", lambda text: text.replace("<dict>", "<dict><!-- <string>n</string> -->", 1).encode()),
            ("no end of line", "a", "a", lambda text: text.rstrip("\n").encode()),
            ("no type", "a", "a", lambda text: (text[: text.index("<!DOC")] + text[text.index("<plist") :]).encode()),
            ("spaces instead of tabs", "a", "a", lambda text: text.replace("\t", "    ").encode()),
        ]
    ),
]  # fmt: skip


def _xc(
    what: str, entries: str, units: dict[str, str | None], *, end: str = '  "version" : "1.0"\n}'
) -> Oddity:
    text = f'{{\n  "sourceLanguage" : "en",\n  "strings" : {{\n{entries}\n  }},\n{end}'
    return Oddity(".xcstrings", what, text.encode(), units)


_DE = '"de" : {\n "stringUnit" : {\n "state" : "%s",\n "value" : "%s"\n}\n}'
XCSTRINGS = [
    _xc("an empty entry", '    "Hi" : {\n\n    }', {"Hi": None}),
    _xc("braces on one line", '    "Hi" : {}', {"Hi": None}),
    _xc("an empty key", '    "" : {},\n    "Hi" : {}', {"Hi": None}),
    _xc("translated", f'    "Hi" : {{\n      "localizations" : {{\n        {_DE % ("translated", "Hallo")}\n}}\n}}', {"Hi": "Hallo"}),
    _xc("state new", f'    "Hi" : {{"localizations" : {{{_DE % ("new", "")}}}}}', {"Hi": None}),
    _xc("another language only", '    "Hi" : {"localizations" : {"de" : {"stringUnit" : {"value" : "H"}}}}', {"Hi": "H"}),
    _xc("a language that comes later", '    "Hi" : {\n      "localizations" : {\n        "en" : {"stringUnit" : {"value" : "Hi!"}}\n      }\n    }',
        {"Hi": None}),
    _xc("stale, with a comment", '    "Hi" : {\n      "comment" : "c",\n      "extractionState" : "stale"\n    }', {"Hi": None}),
    _xc("not to translate", '    "OK" : {\n      "shouldTranslate" : false\n    }', {"OK": None}),
    _xc("plurals", '    "n" : {"localizations" : {"en" : {"variations" : {"plural" : {"one" : {"stringUnit" : {"value" : "%lld f"}},'
        '"other" : {"stringUnit" : {"value" : "%lld fs"}}}}}}}', {"n[plural.one]": None, "n[plural.other]": None}),
    _xc("devices", '    "Tap" : {"localizations" : {"en" : {"variations" : {"device" : {"mac" : {"stringUnit" : {"value" : "Click"}},'
        '"other" : {"stringUnit" : {"value" : "Tap"}}}}}}}', {"Tap[device.mac]": None, "Tap[device.other]": None}),
    _xc("substitutions", '    "s" : {"localizations" : {"de" : {"stringUnit" : {"value" : "%#@n@"},"substitutions" : {"n" : '
        '{"argNum" : 1,"formatSpecifier" : "lld","variations" : {"plural" : {"other" : {"stringUnit" : {"value" : "%arg x"}}}}}}}}}',
        {"s": "%#@n@", "s[substitutions.n.plural.other]": "%arg x"}),
    _xc("escapes in keys", r'    "a \"b\"\n%@" : {}', {'a "b"\n%@': None}),
    _xc("slashes and escapes", r'    "a\/b" : {"localizations" : {"de" : {"stringUnit" : {"value" : "\u00e4\/"}}}}', {"a/b": "ä/"}),
    _xc("a line end at the end", '    "Hi" : {}', {"Hi": None}, end='  "version" : "1.0"\n}\n'),
    _xc("brackets in a key", '    "a [b]" : {}', {"a [b]": None}),
    _xc("no blanks", '"Hi":{"localizations":{"de":{"stringUnit":{"state":"translated","value":"H"}}}}', {"Hi": "H"}, end='"version":"1.0"}'),
]  # fmt: skip

JSON = [
    Oddity(suffix, what, text.encode(), units)
    for suffix, what, text, units in [
        (".json", "flat", '{\n  "a": "x",\n  "b": "y"\n}\n', {"a": "x", "b": "y"}),
        (".json", "nested", '{"menu": {"file": {"open": "Open"}}}', {"menu.file.open": "Open"}),
        (".json", "lists", '{"a": ["x", {"b": "y"}, []]}', {"a[0]": "x", "a[1].b": "y"}),
        (".json", "dots in keys", '{"a.b": "x", "a": {"b": "y"}}', {"a.b": "x", "a.b#2": "y"}),
        (".json", "a key twice", '{"a": "x", "a": "y"}', {"a": "x", "a#2": "y"}),
        (".json", "other values", '{"n": 1, "t": true, "z": null, "f": -1.5e3, "a": "x", "o": {}}', {"a": "x"}),
        (".json", "escapes", r'{"a": "\u00e9\n\"\\\/\ud83d\ude00"}', {"a": 'é\n"\\/\N{GRINNING FACE}'}),
        (".json", "tabs, CRLF, no end", '{\r\n\t"a": "x"\r\n}', {"a": "x"}),
        (".json", "byte order mark", '\ufeff{"a": "x"}\n', {"a": "x"}),
        (".json", "i18next", '{"k_one": "{{count}} file", "k_other": "{{count}} files", "r": "$t(k)"}',
         {"k_one": "{{count}} file", "k_other": "{{count}} files"}),
        (".json", "old plurals of i18next", '{"k": "{{count}} file", "k_plural": "{{count}} files"}', {"k_plural": "{{count}} files"}),
        (".json", "Vue", '{"a": "no apples | one apple | {n} apples", "b": "@:a"}', {"a": "no apples | one apple | {n} apples"}),
        (".json", "a browser extension", '{"name": {"message": "App of $USER$", "description": "d", "placeholders": {"user": '
         '{"content": "$1"}}}}', {"name": "App of $USER$"}),
        (".json", "formatjs", '{"x1": {"defaultMessage": "Hi {name}", "description": "d"}}', {"x1": "Hi {name}"}),
        (".json", "empty key and text", '{"": "x", "b": ""}', {'""': "x", "b": ""}),
        (".json", "odd blanks", '{ "a"   :"x" ,"b":\n"y"}  \n\n', {"a": "x", "b": "y"}),
        (".json", "raw separators of Unicode", '{"a": "x\u2028y"}', {"a": "x\u2028y"}),
        (".arb", "ARB", '{\n  "@@locale": "en",\n  "n": "{c, plural, =0{none} other{# x}}",\n  "@n": {\n    "description": "d"\n  }\n}\n',
         {"n": "{c, plural, =0{none} other{# x}}"}),
        (".arb", "ARB without a locale", '{"a": "x", "@a": {"type": "text"}, "@@x-note": "y"}', {"a": "x"}),
        (".json", "ARB by its locale", '{"@@locale": "de", "a": "x", "@a": {"description": "no unit"}}', {"a": "x"}),
    ]
]  # fmt: skip

PROPERTIES = [
    Oddity(".properties", what, text.encode(encoding), units)
    for what, text, units, encoding in [
        ("usual", "# note\na = x\nb=y\n", {"a": "x", "b": "y"}, "utf-8"),
        ("colons and blanks", "a: x\nb y z\nc\n", {"a": "x", "b": "y z", "c": ""}, "utf-8"),
        ("lines that go on", "a = x \\\n    y\\\n\tz\n", {"a": "x yz"}, "utf-8"),
        ("a last line that goes on", "a = x\\\n", {"a": "x"}, "utf-8"),
        ("escapes", r"a\ b\=c = x\ty\u00e9\\" + "\n", {"a b=c": "x\tyé\\"}, "utf-8"),
        ("Latin-1", "a = \xe9\n", {"a": "é"}, "latin-1"),
        ("UTF-8", "a = é\n", {"a": "é"}, "utf-8"),
        ("comments", "! one\n#two=2\n\n  # three\na=x\n", {"a": "x"}, "utf-8"),
        ("indented", "   a = x\n\tb = y", {"a": "x", "b": "y"}, "utf-8"),
        ("CRLF", "a = x \\\r\n  y\r\nb = z\r\n", {"a": "x y", "b": "z"}, "utf-8"),
        ("blanks at the end", "a = x  \n", {"a": "x  "}, "utf-8"),
        ("a blank at the beginning", "a = \\ x\n", {"a": " x"}, "utf-8"),
        ("a key twice", "a=x\na=y\n", {"a": "x", "a#2": "y"}, "utf-8"),
        ("MessageFormat", "a = It''s {0,number} of {1}\n", {"a": "It''s {0,number} of {1}"}, "utf-8"),
        ("equals signs in a text", "u=http://x/?a=b\n", {"u": "http://x/?a=b"}, "utf-8"),
        ("an empty text", "a=\nb=x", {"a": "", "b": "x"}, "utf-8"),
        ("emoji in two escapes", "a=\\ud83d\\ude00\n", {"a": "\N{GRINNING FACE}"}, "utf-8"),
    ]
]

TABLES = [
    Oddity(suffix, what, text.encode(encoding), units)
    for suffix, what, text, units, encoding in [
        (".csv", "usual", "id,source,target\na,A,B\n", {"a": "B"}, "utf-8"),
        (".csv", "quotes", 'key,source,target\n"a","A, B","say ""hi"""\n', {"a": 'say "hi"'}, "utf-8"),
        (
            ".csv",
            "line breaks",
            'key,source,target\r\na,A,"x\r\ny"\r\nb,B,c\r\n',
            {"a": "x\r\ny", "b": "c"},
            "utf-8",
        ),
        (".csv", "semicolons", "key;source;target\na;A, B;C\n", {"a": "C"}, "utf-8"),
        (".csv", "a line for a spreadsheet", "sep=;\nkey;source;target\na;A;B\n", {"a": "B"}, "utf-8"),
        (".csv", "byte order mark", "\ufeffkey,source,target\na,A,B\n", {"a": "B"}, "utf-8"),
        (".csv", "no line end", "key,source,target\na,A,B", {"a": "B"}, "utf-8"),
        (".csv", "an empty last cell", "key,source,target\na,A,\nb,B,", {"a": None, "b": None}, "utf-8"),
        (".csv", "columns by language", "Key,Comment,en,de\na,note,A,B\n", {"a": "B"}, "utf-8"),
        (".csv", "capital letters and blanks", "ID, Source , Target\na,A,B\n", {"a": "B"}, "utf-8"),
        (".csv", "no key", "source,target\nA,B\nC,D\n", {"1": "B", "2": "D"}, "utf-8"),
        (".csv", "a quote in the middle", 'key,source,target\na,A,5" pipe\n', {"a": '5" pipe'}, "utf-8"),
        (".csv", "blank lines", "key,source,target\na,A,B\n\nb,C,D\n\n", {"a": "B", "b": "D"}, "utf-8"),
        (".csv", "lengths", "key,source,target,max_length\na,A,B,10\n", {"a": "B"}, "utf-8"),
        (".csv", "UTF-16", "key\tsource\ttarget\na\tA\té\n", {"a": "é"}, "utf-16"),
        (".tsv", "tabs", "id\tsource\ttarget\na\tA\tB \n", {"a": "B "}, "utf-8"),
        (".tsv", "quotes are text", 'id\tsource\ttarget\na\tA\t"B"\n', {"a": '"B"'}, "utf-8"),
        (".tsv", "CRLF", "id\tsource\ttarget\r\na\tA\tB\r\n", {"a": "B"}, "utf-8"),
    ]
]

FAMILIES = {
    "po": PO,
    "xliff": XLIFF,
    "android": ANDROID,
    "strings": STRINGS,
    "stringsdict": STRINGSDICT,
    "xcstrings": XCSTRINGS,
    "json": JSON,
    "properties": PROPERTIES,
    "tables": TABLES,
}
ODDITIES = [oddity for family in FAMILIES.values() for oddity in family]
