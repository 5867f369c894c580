"""Words that are in any text of a language and so say nothing about one: articles, pronouns, auxiliaries.

Words of negation that are more than a particle (nobody, nichts, nunca) are left out: they say much.
"""

from __future__ import annotations

import re
from functools import cache

from mtassay.nlp.word_forms import fold

_WORDS = {
    "en": (
        "a an the this that these those i you he she it we they me him her us them my your his its our their "
        "mine yours hers ours theirs who whom whose which what and or but nor so yet if than then as because "
        "while when where how why of in on at by to from with without for about into onto over under up down "
        "out off through between after before since until during against not no yes be am is are was were "
        "been being have has had having do does did doing will would shall should can could may might must "
        "there here also too very just only some any all each every both more most much many few other such "
        "own same again"
    ),
    "de": (
        "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner ich du er "
        "sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich mein meine meinen meinem meiner dein "
        "deine deinen sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere euer eure wer wen "
        "wem was welche welcher welches dieser diese dieses diesen diesem jener jene man und oder aber denn "
        "doch sondern wenn weil dass daß ob als wie da so dann also in im ins an am ans auf aus bei beim mit "
        "nach von vom vor zu zum zur für gegen ohne um über unter durch zwischen seit bis während nicht ja "
        "nein bin bist ist sind seid war warst waren wart gewesen sei wäre wären habe hast hat haben habt "
        "hatte hattest hatten hätte hätten werde wirst wird werden werdet wurde wurden würde würden worden "
        "kann kannst können konnte konnten könnte muss musst müssen musste mussten soll sollen sollte "
        "sollten will wollen wollte wollten darf dürfen durfte mag mögen möchte auch noch nur schon sehr "
        "hier dort mehr alle alles"
    ),
    "pt": (
        "o a os as um uma uns umas eu tu ele ela nós vós eles elas você vocês me te se lhe lhes nos vos mim "
        "ti si meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas dele dela "
        "deles delas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isto isso "
        "aquilo que quem qual quais cujo e ou mas nem porque como quando onde então de do da dos das em no "
        "na nas num numa por pelo pela pelos pelas para pra com sem sob sobre entre até desde após ao à aos "
        "às não sim é são era eram foi foram ser sendo sido seja está estão estava estavam estar estou sou "
        "há tem têm tinha tinham ter tenho vai vão ir pode podem poder deve devem dever muito mais menos "
        "também já só ainda aqui lá"
    ),
    "es": (
        "el la lo los las un una unos unas yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me "
        "te se le les nos os mi mis tu tus su sus nuestro nuestra mío mía suyo suya este esta estos estas "
        "ese esa esos esas aquel aquella esto eso aquello que quien quienes cual cuyo y e o u pero ni si "
        "porque como cuando donde entonces de del a al en por para con sin sobre entre hasta desde no sí es "
        "son era eran fue fueron ser sido sea está están estaba estaban estar soy estoy hay ha han había "
        "haber he hemos tiene tienen tenía tener va van puede pueden poder debe deben deber muy más menos "
        "también ya solo sólo aún aquí"
    ),
    "fr": (
        "le la les l un une des du de d au aux je j tu il elle on nous vous ils elles me m te t se s lui "
        "leur leurs y en moi toi soi eux mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette "
        "ces cela ça qui que qu quoi dont où quel quelle et ou mais ni or donc car si parce comme quand "
        "lorsque à dans par pour avec sans sous sur entre vers chez jusque depuis ne n pas oui non est sont "
        "était étaient fut être été suis es sommes êtes soit sera serait a ai as avons avez ont avait "
        "avaient avoir eu va vont peut peuvent pouvoir doit doivent devoir fait très plus moins aussi déjà "
        "ici là"
    ),
    "it": (
        "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da "
        "dal dalla in nel nella con su sul sulla per tra fra io tu lui lei noi voi loro mi ti si ci vi ne "
        "mio mia tuo tua suo sua nostro vostro questo questa quello quella che chi cui e ed o ma se perché "
        "come quando dove non sì no è sono era erano fu essere stato stata sia ho hai ha abbiamo avete hanno "
        "aveva avere può deve molto più meno anche già solo qui"
    ),
    "nl": (
        "de het een ik jij je u hij zij ze wij we jullie me mij jou hem haar ons hen hun mijn jouw zijn onze "
        "dit dat deze die wie wat welke en of maar want als dan omdat hoe waar in op aan bij met van voor "
        "naar uit tot door over onder om te tegen zonder niet geen ja nee er ben bent is was waren geweest "
        "heb hebt heeft hebben had hadden word wordt worden werd werden zal zullen zou zouden kan kunnen kon "
        "moet moeten mag ook nog zeer meer hier"
    ),
    "pl": (
        "i a ale lub czy że bo jak gdy kiedy gdzie w we z ze na do od po za o u przy przez dla bez pod nad "
        "nie tak się ja ty on ona ono my wy oni one mnie mi mu go jej jego ich im ten ta to tego tej tym te "
        "ci co kto który która które jest są był była było byli być mam ma mają może też już tylko bardzo"
    ),
    "ru": (
        "и а но или что чтобы если как когда где то же ли бы в во на с со к ко о об от до из за по у при для "
        "без под над не да нет я ты он она оно мы вы они меня тебя его её ее нас вас их мне ему ей им мой "
        "твой наш ваш свой этот эта это эти тот та те кто который которая есть был была было были быть будет "
        "уже только очень тоже"
    ),
    "cs": (
        "a i ale nebo že aby když jak kde kdy v ve z ze na do od po za o u při přes pro bez pod nad ne ano "
        "se si já ty on ona ono my vy oni mě mi ho mu ji jí jeho její jejich ten ta to ti co kdo který která "
        "je jsou jsem jsi byl byla bylo byli být má mají může už jen velmi také"
    ),
    "sv": (
        "en ett den det de och eller men att som om när var hur i på av till från med utan för över under "
        "vid inte ja nej jag du han hon vi ni mig dig honom henne oss er dem min din sin sitt hans hennes är "
        "varit vara har hade ha ska skulle kan kunde måste också bara mycket här"
    ),
}


@cache
def function_words(language: str) -> frozenset[str]:
    """Those of a language, folded; none for a language that is not in the table.

    >>> "hat" in function_words("de"), "Haus" in function_words("de"), function_words("xx")
    (True, False, frozenset())
    """
    return frozenset(map(fold, _WORDS.get(language.partition("-")[0], "").split()))


# Written with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(r"uni(?!n|mp|ma)|unan|us[aeiu]|ut[ei]|uto|ura|eu|ewe|one\b|once|ubiq|ufo|ukul")
_SPOKEN_VOWEL = re.compile(r"[aeiou]|hour|honest|hono|heir|8|11\b|18\b")
_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # an MRI
_ARTICLE = re.compile(r"\b(an?) (\w[\w'’-]*)", re.IGNORECASE)


def wants_an(word: str) -> bool:
    """Whether the article before this word is "an", by its sound.

    >>> [word for word in ("hour", "house", "union", "unimportant", "MRI", "NATO", "8") if wants_an(word)]
    ['hour', 'unimportant', 'MRI', '8']
    """
    if word.isupper() and len(word) < 4:  # longer ones are read as words: a NATO
        return word[0] in _SPELT_WITH_A_VOWEL
    small = word.lower()
    return _SPOKEN_VOWEL.match(small) is not None and _SPOKEN_CONSONANT.match(small) is None


def wrong_articles(text: str) -> int:
    """How often an English text has `a` for `an`, or the other way round.

    >>> wrong_articles("A actor met an old man and an woman.")
    2
    """
    return sum((m[1].lower() == "an") != wants_an(m[2]) for m in _ARTICLE.finditer(text))
