"""English: where a sentence speaks of a value that holds no longer, in front of it and behind it.

Group `old` is the place where the value stands, wider than the value: which words of it are one, memory tells.
"""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

from memoryd.worker.agents.rules.english_words import regex

_END = r"(?=\s*(?:[,;:!?()]|\.(?:\s|$)|[-=]+>|→|\s[-–—]+\s|$|\b(?:to|with|for|into|in favou?r|but|and (?:i|we|now|installed|bought|got|took|began|started)|it['’]?s|now|any ?more|because|since|in the meantime)\b))"
_SPAN = rf"(?P<old>[^,;:!?()\n]{{2,80}}?){_END}"
_GONE = (
    r"(?:(?:['’]s| is| was| has| have| are| got)(?: been| now| finally| being| all| officially| just)* (?:gone|dead|history|retired|out|over|closed|shut (?:off|down)|switched off|turned off|decommissioned|phased out"
    r"|discontinued|expired|taken|busy|full|too \w+|dropped|scrapped|killed|removed|replaced|cancell?ed|going away|deprecated|no more|toast)| (?:just |finally |contract )*(?:died|ended|expired|broke|closed|passed away|laid (?:us|me) off|let me go|went under|shut down))"
)
_LEAVING = (
    r"(?:instead of|rather than|in place of|no longer|no more|not|isn['’]?t|aren['’]?t|wasn['’]?t|(?:do|does|did)(?:n['’]?t| not)"
    r"|used to|stop(?:ped|ping)?|done with|finished with|through with|(?:tired|sick|rid|instead|fed up) (?:of|with)|bored with"
    r"|g[ai]v(?:e|en|es|ing) up(?: on)?|(?:mov|migrat|switch|went|go|cut|wean)\w*(?: myself)? (?:off|away from)|sorry|(?:good)?bye"
    r"|farewell|drop(?:ped|ping)?|ditch(?:ed|ing)|scrap(?:ped|ping)?|scratch|quit|left|leaving|sold|selling|retir(?:ed|ing)"
    r"|replac(?:e|ed|es|ing)|swap(?:ped|ping)?|trad(?:ed|ing)|exchanged|abandon(?:ed|ing)|cancell?(?:ed|ing)|remov(?:ed|ing)"
    r"|wip(?:ed|ing)|uninstall(?:ed|ing)|kill(?:ed|ing)|deprecat(?:ed|ing)|sunset(?:ting)?|outgrew|lost|enough|still (?:assume|think|say|use)|too \w+ (?:on|with|for)|wrapped up|moved on from|was)"
)

NEWS = regex(
    r"\b(?:now|nowadays|these days|lately|recently|any ?more|no longer|instead|went back|back (?:to|on)|new|started|joined|promoted|turned|grew|grown"
    r"|from now on|from here on|going forward|since (?:last|this|the)|as of|(?:mov|switch|chang|migrat|relocat|upgrad|bump|swap|replac|renam|port|shift"
    r"|mov|convert|transition|downgrad|rais|lower)\w*|got an?|finally|after all|change of plans?|picked|chose|took up|opted|decided|this (?:year|month|week|sprint)|update|by now|took over|takes over)\b"
    r"|[-=]+>|→"
)
OLD_VALUES = (
    regex(rf"\bfrom (?!(?:now|here|today|then|this)\b){_SPAN}"),
    regex(rf"\b{_LEAVING} {_SPAN}"),
    regex(rf"\b(?:rather|sooner|prefer|like|want)\b[^,;]{{2,50}}? (?:than|over|to) {_SPAN}"),
    regex(r"(?:^|[,;:(]\s*|\b)(?P<old>[^,;:()]{2,50}?)\s*(?:[-=]+>|→)"),
    regex(rf"(?:^|[,;:(]\s*|\band )(?P<old>[^,;:()]{{2,50}}?){_GONE}\b"),
    regex(
        r"(?:^|[,;:(]\s*|\b(?:and|hmm) )(?P<old>[^,;:()]{2,50}?) (?:isn['’]?t|aren['’]?t|is not|doesn['’]?t|does not|did ?n['’]?t"
        r"|is no longer|no longer|can['’]?t|cannot)\b"
    ),
)
