"""The weight of each English cue in tenths of a logit: above zero speaks for a lasting statement.

Fitted by ridge-penalised logistic regression on labelled practice sentences; '' is the base rate. A cue is named as
`english_cues.features` names it.
"""

# fmt: off
WEIGHTS: dict[str, int] = {
    "": -16,
    "1:before": 6, "1:team": 6, "1:would": 5, "1:you're": 5, "1:always": 4, "1:if": 4, "1:where": 4, "1:and": 3,
    "1:art": 3, "1:could": 3, "1:i'm": 3, "1:i've": 3, "1:it": 3, "1:keep": 3, "1:your": 3, "1:as": 2, "1:by": 2,
    "1:deploy": 2, "1:it's": 2, "1:just": 2, "1:moved": 2, "1:never": 2, "1:no": 2, "1:our": 2, "1:prob": 2,
    "1:remember": 2, "1:we": 2, "1:do": 1, "1:i'd": 1, "1:im": 1, "1:plural": 1, "1:them": 1, "1:we're": 1,
    "1:can": -1, "1:does": -1, "1:fict": -1, "1:first": -1, "1:must": -1, "1:not": -1, "1:past": -1, "1:quant": -1,
    "1:should": -1, "1:talk": -1, "1:this": -1, "1:use": -1, "1:what": -1, "1:which": -1, "1:a": -2, "1:chat": -2,
    "1:for": -2, "1:in": -2, "1:when": -2, "1:why": -2, "1:you": -2, "1:every": -3, "1:from": -3, "1:how": -3,
    "1:is": -3, "1:my": -3, "1:now": -3, "1:open": -3, "1:so": -3, "1:that's": -3, "1:quest": -4, "1:joke": -6,
    "1:task": -9,
    "2:i *": 6, "2:i'm *": 5, "2:we *": 4, "2:for *": 3, "2:i use": 3, "2:i'm a": 2, "2:our *": 2, "2:you can": 2,
    "2:if you": 1, "2:the *": 1, "2:we ed": 1, "2:i ed": -1, "2:i never": -1, "2:i was": -1, "2:we use": -2,
    "2:i always": -3, "2:i'm not": -3, "2:my *": -3, "2:you *": -3, "2:i don't": -4,
    "c:scope": 11, "c:talk": 11, "c:either": 10, "c:default": 9, "c:role": 9, "c:firm": 7, "c:reason": 7,
    "c:before": 6, "c:policy": 5, "c:prefer": 5, "c:where": 5, "c:yourole": 5, "c:deploy": 4, "c:moved": 4,
    "c:ours": 4, "c:stop": 4, "c:im": 3, "c:keep": 3, "c:must": 3, "c:quant": 3, "c:hate": 2, "c:ihab": 2,
    "c:instead": 2, "c:always": 1, "c:art": 1, "c:decide": 1, "c:like": 1, "c:remember": 1, "c:team": 1, "c:it": -1,
    "c:my": -1, "c:chat": -2, "c:now": -4, "c:past": -4, "c:this": -4, "c:prob": -5, "c:fict": -6, "c:quest": -6,
    "c:them": -7, "c:thisthing": -7, "c:joke": -8, "c:open": -8, "c:task": -8, "c:asks": -14,
    "n:16-25": 9, "n:8-15": 5, "n:4-7": -1, "n:1-3": -12,
    "s:capital": 12, "s:s": 6, "s:ban": 5, "s:address": 4, "s:ed": 3, "s:ing": 3, "s:quoted": -1, "s:symbol": -1,
    "s:handed": -4, "s:progress": -4, "s:trouble": -7,
    "w:you": 8, "w:as": 7, "w:first": 7, "w:in": 7, "w:is": 7, "w:than": 7, "w:with": 6, "w:are": 5, "w:do": 5,
    "w:keep": 5, "w:please": 5, "w:every": 4, "w:i'd": 4, "w:so": 4, "w:stop": 4, "w:can't": 3, "w:could": 3,
    "w:it's": 3, "w:on": 3, "w:we're": 3, "w:at": 2, "w:from": 2, "w:had": 2, "w:i've": 2, "w:me": 2, "w:using": 2,
    "w:without": 2, "w:all": 1, "w:any": 1, "w:been": 1, "w:each": 1, "w:has": 1, "w:i'm": 1, "w:if": 1, "w:isn't": 1,
    "w:not": 1, "w:of": 1, "w:or": 1, "w:really": 1, "w:they": 1, "w:to": 1, "w:we": 1, "w:you're": 1, "w:your": 1,
    "w:a": -1, "w:also": -1, "w:and": -1, "w:because": -1, "w:can": -1, "w:did": -1, "w:even": -1, "w:how": -1,
    "w:let's": -1, "w:most": -1, "w:no": -1, "w:our": -1, "w:that's": -1, "w:there": -1, "w:too": -1, "w:will": -1,
    "w:but": -2, "w:does": -2, "w:now": -2, "w:us": -2, "w:was": -2, "w:don't": -3, "w:here": -3, "w:i'll": -3,
    "w:one": -3, "w:should": -3, "w:who": -3, "w:have": -4, "w:i": -4, "w:it": -4, "w:the": -4, "w:this": -4,
    "w:were": -4, "w:what": -4, "w:which": -4, "w:by": -5, "w:two": -5, "w:always": -6, "w:he": -6, "w:never": -6,
    "w:only": -6, "w:why": -7, "w:that": -9,
}
# fmt: on
