"""Words chosen by hand: what is never a substitute, what only replaces its like, and small closed classes."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER = _words(
    """
    sex sexy sexual porn pornography nude naked naughty erotic virgin whore slut bitch bastard dick cock
    pussy tit tits boob boobs ass arse butt crap shit piss fuck damn hell suck sucker horny lust orgasm
    vagina penis rape rapist raped incest pedophile molest prostitute prostitution brothel hooker pimp
    stripper nazi fascist jihad terrorist terrorism genocide slave slavery negro savage gypsy oriental
    tranny queer fag dyke homo shitty filthy goddamn lousy lame retard retarded cripple midget moron idiot
    imbecile dumb stupid suicide suicidal murderer corpse torture lynch massacre slaughter behead jew
    jewish muslim christian catholic protestant hindu mosque synagogue gay lesbian transgender bisexual
    junkie booze heroin cocaine meth
    crack dope weed pot guy guys dude folk folks buddy pal mom mum mommy daddy grandma grandpa granny
    thing things stuff something anything everything nothing someone anyone lot lots bunch bit kind sort
    type way ways fact case sake behalf lieu spite regard regards accordance order means number amount
    deal majority plenty rest couple pair dozen part side end top bottom front back middle time times
    moment instance example respect account terms view basis course thanks thank please sir madam mister
    hello hi bye ok okay yes no etc vs per via re non pro anti ex co dr mr mrs ms st rd inc ltd corp eg ie
    aka hundred thousand million billion trillion zero percent percentage
    structure installation individual condition occurrence arrangement possession separation extension
    substance entity object item unit element material article content component factor aspect feature
    situation circumstance event activity process action act effect result cause reason matter issue
    place area region location position point level degree extent range scale set group collection
    person people being creature human self character figure body subject lover ancestor widow
    """
)
"""Rude, touchy or too light to stand for another word."""

NEVER_ADJECTIVES = _words(
    """
    other another same such many few little much more most several own first second third fourth fifth
    last next previous former latter following certain various different particular only very main mere
    sheer utter able unable due likely unlikely ready sure aware afraid alone alive asleep awake ashamed
    glad willing unwilling eager worth like unlike near far left right whole entire half double single
    sole past ago enough less least further else so-called prior subsequent available responsible similar
    equal equivalent capable subject prone apt bound used supposed total overall initial final upper lower
    inner outer born dead gone done said based related involved concerned present absent daily weekly
    monthly yearly eldest elder prime chief principal vice sir saint damned bloody goddamn fucking fucked
    effing freaking
    """
)
"""Adjectives that count, point or need a complement, so that no other fits in their place."""

FEMALE = _words(
    """
    woman girl lady mother daughter sister wife aunt niece grandmother granddaughter queen princess
    duchess countess empress actress waitress hostess stewardess widow bride girlfriend goddess heroine
    nun businesswoman saleswoman policewoman congresswoman spokeswoman chairwoman stepmother godmother
    mistress heiress witch maid housewife schoolgirl bridesmaid hen cow mare ewe
    """
)
MALE = _words(
    """
    man boy gentleman father son brother husband uncle nephew grandfather grandson king prince duke count
    emperor actor waiter host steward widower groom bridegroom boyfriend god hero monk businessman
    salesman policeman congressman spokesman chairman stepfather godfather heir wizard schoolboy bull
    stallion rooster fireman fisherman craftsman gunman bishop priest pope
    """
)
"""A sentence may say "she" of a woman somewhere else: these only replace their like."""

CLOSED: dict[str, list[str]] = {
    "CD": [
        "two three four five six seven eight nine ten eleven twelve",
        "fifteen sixteen seventeen eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety",
        "hundred thousand million billion",
    ],
    "NNP": [
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "January February April June July August September October November December",
        "Mary Anna Alice Susan Laura Sarah Julia Helen Emma Linda",
        "Tom John Peter Paul David James Robert Michael Thomas Daniel",
        "London Paris Berlin Rome Madrid Lisbon Vienna Tokyo Boston Chicago",
        "France Germany Italy Spain Portugal Japan China India Brazil Canada Mexico",
    ],
    "NNPS": ["Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays"],
}
"""Small sets whose members replace each other, by Penn tag."""
