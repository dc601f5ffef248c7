"""Irregular forms of English verbs and nouns, which no stemmer brings together: who asks for `go` means `went` too."""

_FORMS = """
    be was were been, beat beaten, become became, begin began begun, bend bent, bind bound, bite bit bitten,
    bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought,
    catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
    drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought,
    find found, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
    freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard,
    hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt,
    learn learnt, leave left, lend lent, lie lay lain, light lit, lose lost, make made, mean meant, meet met,
    pay paid, prove proven, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen,
    seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot, show shown,
    shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, smell smelt,
    speak spoke spoken, spend spent, spill spilt, spin spun, stand stood, steal stole stolen, stick stuck,
    strike struck, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught,
    tear tore torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken,
    wear wore worn, weave wove woven, win won, wind wound, write wrote written, child children, person people,
    man men, woman women, foot feet, tooth teeth, mouse mice, goose geese, life lives, wife wives, knife knives,
    leaf leaves, shelf shelves
"""

#: form -> base; of a form of two words the first counts
BASE = {form: base for group in reversed(_FORMS.split(",")) for base, *forms in [group.split()] for form in forms}
