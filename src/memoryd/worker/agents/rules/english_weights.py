"""The weight of each English cue in tenths of a logit: above zero speaks for a lasting statement.

Written by `bench/rules_fit.py`: ridge-penalised logistic regression on labelled practice sentences; '' is the base
rate. A cue is named as `english_cues.features` names it.
"""

# fmt: off
WEIGHTS: dict[str, int] = {
    "": -16,
    "1:before": 7, "1:team": 7, "1:you're": 6, "1:always": 5, "1:where": 5, "1:would": 5, "1:art": 4, "1:could": 4,
    "1:if": 4, "1:keep": 4, "1:and": 3, "1:i'm": 3, "1:i've": 3, "1:it": 3, "1:our": 3, "1:your": 3, "1:as": 2,
    "1:by": 2, "1:deploy": 2, "1:i": 2, "1:im": 2, "1:it's": 2, "1:just": 2, "1:moved": 2, "1:never": 2, "1:no": 2,
    "1:plural": 2, "1:prob": 2, "1:remember": 2, "1:we": 2, "1:we're": 2, "1:do": 1, "1:let's": 1, "1:other": 1,
    "1:please": 1, "1:the": 1, "1:them": 1, "1:can": -1, "1:fict": -1, "1:for": -1, "1:must": -1, "1:not": -1,
    "1:should": -1, "1:talk": -1, "1:this": -1, "1:use": -1, "1:which": -1, "1:a": -2, "1:chat": -2, "1:does": -2,
    "1:first": -2, "1:my": -2, "1:past": -2, "1:quant": -2, "1:what": -2, "1:in": -3, "1:is": -3, "1:open": -3,
    "1:so": -3, "1:that's": -3, "1:when": -3, "1:why": -3, "1:you": -3, "1:from": -4, "1:how": -4, "1:now": -4,
    "1:every": -5, "1:quest": -5, "1:joke": -7, "1:task": -9,
    "2:i use": 7, "2:i *": 6, "2:i'm *": 6, "2:we *": 5, "2:for *": 4, "2:our *": 3, "2:i'm a": 2, "2:you can": 2,
    "2:if you": 1, "2:no *": 1, "2:please *": 1, "2:the *": 1, "2:we ed": 1, "2:i was": -1, "2:i ed": -2,
    "2:i never": -2, "2:my *": -2, "2:we use": -2, "2:i always": -4, "2:i'm not": -4, "2:you *": -4, "2:i don't": -5,
    "c:scope": 12, "c:default": 11, "c:either": 11, "c:talk": 11, "c:role": 10, "c:reason": 8, "c:firm": 7,
    "c:before": 6, "c:policy": 6, "c:yourole": 6, "c:moved": 5, "c:prefer": 5, "c:where": 5, "c:deploy": 4,
    "c:keep": 4, "c:must": 4, "c:ours": 4, "c:stop": 4, "c:hate": 3, "c:ihab": 3, "c:im": 3, "c:quant": 3,
    "c:always": 2, "c:art": 2, "c:decide": 2, "c:instead": 2, "c:like": 1, "c:remember": 1, "c:team": 1, "c:dont": -1,
    "c:it": -1, "c:my": -1, "c:chat": -2, "c:past": -4, "c:this": -4, "c:now": -5, "c:prob": -5, "c:fict": -6,
    "c:quest": -6, "c:them": -8, "c:thisthing": -8, "c:joke": -9, "c:open": -9, "c:task": -9, "c:asks": -15,
    "n:16-25": 9, "n:8-15": 5, "n:4-7": -2, "n:1-3": -12,
    "s:capital": 12, "s:address": 6, "s:ban": 6, "s:s": 6, "s:ed": 3, "s:ing": 2, "s:symbol": -1, "s:handed": -4,
    "s:progress": -5, "s:trouble": -9,
    "w:first": 9, "w:you": 9, "w:is": 8, "w:than": 8, "w:as": 7, "w:in": 7, "w:please": 7, "w:do": 6, "w:keep": 6,
    "w:with": 6, "w:are": 5, "w:every": 4, "w:i'd": 4, "w:so": 4, "w:stop": 4, "w:we're": 4, "w:at": 3, "w:can't": 3,
    "w:could": 3, "w:from": 3, "w:it's": 3, "w:without": 3, "w:had": 2, "w:i've": 2, "w:me": 2, "w:on": 2, "w:use": 2,
    "w:using": 2, "w:all": 1, "w:any": 1, "w:each": 1, "w:has": 1, "w:i'm": 1, "w:if": 1, "w:isn't": 1, "w:just": 1,
    "w:more": 1, "w:not": 1, "w:of": 1, "w:really": 1, "w:they": 1, "w:you're": 1, "w:can": -1, "w:did": -1,
    "w:even": -1, "w:for": -1, "w:let's": -1, "w:most": -1, "w:our": -1, "w:there": -1, "w:too": -1, "w:will": -1,
    "w:a": -2, "w:also": -2, "w:and": -2, "w:because": -2, "w:does": -2, "w:how": -2, "w:i'll": -2, "w:no": -2,
    "w:now": -2, "w:us": -2, "w:was": -2, "w:but": -3, "w:one": -3, "w:don't": -4, "w:here": -4, "w:i": -4,
    "w:should": -4, "w:the": -4, "w:this": -4, "w:which": -4, "w:who": -4, "w:have": -5, "w:it": -5, "w:two": -5,
    "w:were": -5, "w:what": -5, "w:by": -6, "w:always": -7, "w:never": -7, "w:only": -7, "w:he": -8, "w:why": -8,
    "w:that": -10,
}
# fmt: on
