"""English: the words in which people speak about themselves, their rules and their projects."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re
from itertools import chain
from typing import Any

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.english_grammar import render
from memoryd.worker.agents.rules.english_signs import grams, kind_of, openers
from memoryd.worker.agents.rules.english_subjects import ALIASES, SLOTS
from memoryd.worker.agents.rules.english_words import regex
from memoryd.worker.agents.rules.patterns import (
    CORRECTED,
    PREFERRED,
    Kind,
    Language,
    Pattern,
    Table,
    patterns_of,
)


def _patterns(kind: Kind, *words: str, **conditions: Any) -> tuple[Pattern, ...]:
    return patterns_of((regex(w.replace("$", _END)) for w in words), kind=kind, **conditions)


_END = r"(?=[\s)]*(?:[.!,;:]|$))"  #: of a clause
_NAME = (
    r"(?-i:[A-Z][\w'’.-]*(?: (?:(?:van|von|de|der|da|del|la|bin|al|el)\s)*[A-Z][\w'’.-]*){0,3}|[\u4e00-\u9fff]{2,4})"
)
_NO_NAME = r"(?!(?-i:OK|Ok|Sorry|Sure|Done|Not|Just|Afraid|Using|Trying|Working|Getting|Looking|On|In|At|The|A|An|Good|Fine|Here|Ready|Back|New|Still|So|Stuck|Python|Java|Go|Rust|JavaScript|TypeScript|React|Vue|Node|SQL)\b)"

_GENERIC = (
    r"(?!(?:the|this|that|these|those|it|its|i|you|he|she|they|there|what|which|who|my|your|his|her|their|two|three|some|many|most|all|if|when|and|or|but|not|no|here|nothing|something|everything|customers|users|people|is|are|was|so|as|in|on|at|for|to|by|with|from|of|how|why|where|we|let'?s|please|maybe|thanks|error|yes|ok|write|add|rename|fix|show|make|find|check|create|list|remove|delete|update|replace|convert|build|tell|give|explain|look|put|set|generate|draft)\b)"
    r"(?:[\w/()+'-]+ ){1,6}?"
)  #: a subject that is no particular thing
_TROUBLE = r"\b(?:wrong|missing|broken|fail\w*|error\w*|stuck|slow|down|red|flaky|crash\w*|leak\w*|bug\w*|unused|weird|strange|odd|confus\w+|complain\w*|not work\w*|hang\w*|\w+ing)\b"
_PERSON = _patterns(
    Kind.PERSON,
    r"(?!(?:the|this|that|your|my)\b)(?:[\w-]+ ){0,4}<ROLE> now\b",
    r"i <ADV>(?:use|indent with|type) (?:tabs|spaces|\w+ spaces)\b",
    r"i <ADV>work (?:nights|days|shifts|from|remotely|part[- ]time|full[- ]time|freelance|as|at|for|in) (?!<THIS>)\w",
    rf"(?:my (?:first |full |real |last )?name(?:'s| is)|(?:the )?name'?s|i'?m called|i am called|i go by|people call me|everyone calls me|(?:you can |please |just )*call me) {_NO_NAME}{_NAME}",
    rf"(?:i'?m|i am) {_NO_NAME}{_NAME}(?= here\b|$| from\b| with\b| at\b| and\b|\s*\()",
    rf"{_NO_NAME}{_NAME}(?= here$)",
    rf"name is {_NO_NAME}{_NAME}",
    rf"this is {_NO_NAME}{_NAME}(?= here\b| from\b| speaking\b)",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:an?|the|our|one of the|your|from the|part of the|on the|in the) (?:[\w/+#.-]+ ){0,5}?(?:<ROLE>|team|department|group)\b(?! (?:of|to) (?:this|that))",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:severely |partially |fully |partly |legally )*<CONDITION>\b",
    r"i <ADV>(?:do|write|build|teach|handle) (?:mostly |mainly |only |some |lots of |a lot of )*(?:<DOES>|[\w+#-]+ for a living|[\w+#-]+ at (?:an?|work))\b",
    r"i <ADV>(?:maintain|co-?maintain|own|package|develop|write) (?:the|an?|our) (?!<THIS>)(?:[\w+#-]+ ){0,3}(?:package|library|port|driver|plugin|firmware|app|apps|compiler|kernel|sdk|docs|distribution|fork)\b",
    r"(?:just |recently |finally |i )*(?:moved|relocated) (?:back |over )?to (?-i:[A-Z][a-z]+)\b",
    r"we(?:'re| are) (?:just |only |basically |still )*(?:an? |two |three |four |five |six |\d+ )[\w -]{0,30}?(?:team|shop|company|startup|agency|people|devs|developers|engineers|studio|non-?profit|lab|school|bank|hospital|university|ngo|charity|firm)\b",
    r"i <ADV>(?:teach|study|studied|research|majored in|trained as|graduated) (?!<THIS>)\w",
    r"i <ADV>(?:live|reside|sit|grew up|come from|moved to|relocated to)\b (?:in |near |at |to |from )?(?!<THIS>)(?-i:[A-Z])",
    r"i (?:have|'ve got|ve got|suffer from|got) (?:a |an |some |bad |mild |severe )*(?:adhd|add|dyslexia|dyscalculia|rsi|tinnitus|carpal tunnel|astigmatism|autism|epilepsy|(?:bad |poor |low )(?:eyesight|vision|hearing)|(?:no|zero|limited|basic|some) (?:[\w-]+ )?(?:experience|background|training|knowledge)|little (?:[\w-]+ )?experience|(?:an? )?[\w-]+ background|background in|(?:\d+|ten|two|three|five|many|several|a few|twenty)\+? years|phd|degree|master'?s)\b",
    r"i (?:can'?t|cannot) (?:see|hear|read|tell|distinguish) (?:colou?rs?|red|green|small|tiny|low[- ]contrast|audio|images?|pictures?|screenshots?|videos?)\b",
    r"i <ADV>use (?!<THIS>|an?\b|one\b|both\b)[\w.+#-]+(?= for (?:everything|most|all)\b| as my <MY>\b| every ?day\b| at work\b| at home\b| now\b|$)",
    r"i(?:'ve| have)? ?(?:just |recently |finally )?(?:gave up on|given up on|stopped using|quit using|ditched|dropped|moved on from|traded) (?!<THIS>)\w",
    r"my <MY> (?:is|are|runs|was|isn'?t|aren'?t|'s)\b(?! (?:broken|crash|hang|slow|not working|down|on fire|stuck|full|dead))",
    r"<LANGUAGE> (?:is|isn'?t|is not) my (?:first|second|native|third)\b",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:got|been|was|were) (?:promoted|hired|transferred)\b",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:switched|moved|changed|migrated|went) (?:my <MY> )?(?:over )?(?:from [\w .+#-]{2,30} )?(?:to|jobs|teams|back to) (?!<THIS>|the (?:next|other))\w",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:joined|left|quit|started at|became|retired from) (?!<THIS>)\w",
    one_clause=True,
)
_AGENT = _patterns(
    Kind.AGENT,
    r"your (?:new )?(?:name|role|job|persona|nickname)(?: (?:here|in (?:this|the|our) [\w -]+?|for (?:this|the) [\w -]+?|from now on|is now))?(?: is| will be| shall be|'s|:|\s*=) ?(?!to (?:fix|find))\w",
    r"(?:i'?ll|i will|i'?m going to|i'?m gonna|let me|let'?s|i want to|i'?d like to|we'?ll|we) (?:just )?(?:call|name|refer to) you\b(?: as)? (?!<THIS>|back|when|if|later)\w",
    r"(?:you'?re|you are|you'?ll be|you will be|you shall be) (?:now )?(?:called|named|known as) \w",
    r"(?:you'?re|you are|you'?ll be|you will be|you act as|you serve as) (?:now )?(?:my|our|the team'?s|this (?:repo|project|team)'?s) (?:[\w-]+ ){0,3}<AGENTROLE>\b",
    r"(?:let'?s |i'?ll |i will |we'?ll )?(?:give|gave|giving) you (?:a |the )?(?:new )?(?:nick)?name\b.{2,}",
    rf"you(?:'?re| are) (?:now )?{_NO_NAME}(?!(?i:right|wrong|welcome|great|claude|amazing|awesome)\b){_NAME}(?= from\b| now\b|[.!]*$)",
    r"(?:please )?(?:you(?: can| may| should|'ll| will)? )?(?:call yourself|answer to the name|answer to|go by|refer to yourself as|sign (?:off )?as|think of yourself as) (?:the name )?(?!<THIS>)\w",
) + _patterns(
    Kind.AGENT,
    r"you (?:act as|serve as|work as|play the role of) (?:an?|the|my|our) (?:[\w-]+ ){0,3}(?:<AGENTROLE>|manager)\b",
    r"(?:you'?re|you are|you'?ll be|you will be|act as|behave as|serve as|play|be) (?:an?|the|my|our) (?:[\w-]+ ){0,3}<AGENTROLE>\b",
    standing=True,
)
_PREFERENCE = _patterns(
    Kind.PREFERENCE,
    r"(?:i|we) <ADV>(?:prefer|favou?r) (?!<THIS>|not to|option|variant|version|[ab1-9]\b|neither|none|both)\S",
    r"i <ADV>(?:like|love|enjoy|hate|dislike|loathe|detest|despise|can'?t stand|cannot stand|don'?t like|do not like|don'?t love|don'?t enjoy|can'?t bear|don'?t care for|appreciate|value|am used to|appreciate it when) (?!<THIS>|to (?:see|know|add|fix|have|ask|thank|try)\b|working with you|all of)\S",
    r"i <ADV>(?:hate|dislike|love|like|can'?t stand|don'?t like|appreciate) (?:it |the )?(?:when|how every|seeing|reading|being)\b",
    r"(?:i'?d|i would|id) <ADV>(?:rather|sooner|prefer|much rather)\b(?!.*\bfirst\b)(?!,| not say| (?:see|have|keep|use|go with) (?:this|that|it)\b| (?:this|that|it)\b)",
    r"(?:my|our) (?:(?:personal|strong|general|usual|own|coding|team'?s?) )*(?:preferences?|preferred|favou?rite|taste|rule of thumb|pet peeve|style|go-to)\b[\w .'-]{0,40}?(?: is| are|:| was)",
    r"(?:it|nothing) (?:really |always )?(?:annoys|bugs|bothers|irritates|drives|helps|confuses|distracts|irks|frustrates|upsets|puts) me\b(?=.*\b(?:when|if|like|than|off|crazy|nuts|mad)\b)",
    r"i <ADV>(?:think|reason) in (?!<THIS>)\w",
    r"(?!(?:this|that|it|the|your|he|she|they)\b)(?:[\w'/-]+ ){1,6}(?:is|are|isn't|aren't) (?:fine|ok|okay|good|great|perfect|no good|useless|no use|all right) (?:by|with|for|to) me\b(?! (?:now|today|too$))",
    r"(?:please )?(?:don'?t|do not|stop) .{3,60}?\b(?:with|to|at|on) me\b(?!.*\b(?:yet|now)\b)",
    r"spare me (?:the|your|any|all)\b",
    r"(?:please )?no (?:more )?(?:[\w-]+ ){0,2}<TALK>\b(?! (?:yet|found|here|in the|for this))(?!.*\b(?:in this|in the)\b)",
    r"(?:please )?stop (?:saying|apologi[sz]ing|adding|using|explaining|praising|repeating|asking|writing|starting|ending|thanking|calling|summari[sz]ing)\b(?! (?:this|that|it|the|here)\b)",
    r"(?:please )?(?:skip|spare me|drop|cut|omit|leave out|lose) (?:the |all |any |your )?(?:[\w'-]+ ){0,2}(?:pleasantries|recaps?|intros?|preambles?|fluff|filler|disclaimers?|flattery|praise|small talk|emojis?|apologies|summary|summaries|lectures?|hand-?holding|jargon|caveats|marketing speak|platitudes|hedging|compliments)\b",
    r"(?:please )?(?:answer|reply|respond|talk|speak|write back|chat|communicate)(?: to me| with me| me)?(?: only| always)? in (?:plain |simple |proper |easy |british |american )?<LANGUAGE>\b",
    r"(?:[\w'/ -]{3,40}, )?(?:in my book|in my opinion|in my experience|imo|imho|if you ask me|to my taste|for my taste|to me)\b",
    r"(?:if|when|whenever) there (?:is|are|'s) (?:several|more than one|multiple|many|a choice|two|different)\b.*, \w",
    r"i (?:usually |always |generally |tend to |mostly |normally )+(?:go for|go with|reach for|opt for|pick|choose|start with) (?!<THIS>)\w",
    importance=PREFERRED,
) + _patterns(
    Kind.PREFERENCE,
    r"i (?:don'?t |do not |never )?<ADV>(?:want|need|expect|like|love|would like|hope for|wish for)\b(?! (?:an?|one|two|some|another)\b)",
    r"(?:i'?d|i would) <ADV>(?:like|love|want|appreciate|be happy|be glad|be grateful)\b",
    importance=PREFERRED,
    standing=True,
)
_SENTENCE_PREFERENCE = _patterns(
    Kind.PREFERENCE,
    r".*\b(?:it|that|this|they) (?:just |really |always )?(?:makes?|gives?|drives?|annoys?|bugs?|confuses?|hurts?) (?:me|my)\b",
    importance=PREFERRED,
)
_RULE = _patterns(
    Kind.RULE,
    r"[\w /.-]{2,50} (?:isn'?t|aren'?t|is not|are not|is never|are never) (?:allowed|permitted|acceptable|an option|welcome|tolerated)\b",
    r"(?:house |ground |golden )?rules?\b[\w ]{0,30}:",
    r"(?:please |you (?:should|must|need to|have to|can) |just )*(?:always|never|don'?t ever|do not ever|under no circumstances|at no point|no matter what|without exception)\b,? (?!\w+ (?:that|this|it|so|them)\s*[.!]?$|mind\b|wonder|heard|seen|knew|thought|forget|the same|a good|good\b|been\b|had\b|again\b|fails?\b|works?\b|worked\b)\w",
    r"we (?:always|never|only|exclusively|strictly|consistently|<ADV>(?:don'?t|do not|won'?t|mustn'?t|must not|can'?t|cannot) (?:allow|accept|commit|push|merge|use|do|write|ship|deploy|mix|mock|abbreviate|add|want|put|hard-?code|rely|import|store|support|log|catch|squash|rebase|release|nest|test|touch|edit))\b(?! (?:this|that|it|the|know|have)\b)",
    r"(?:before|after|for|with|on|in) (?:each|every) (?!<THIS>)(?:[\w-]+ ){0,2}[\w-]+,? (?:please |always |you |we )*(?:run|use|add|write|ask|check|update|regenerate|bump|start|make|include|mention|link|tag|format|lint|test)\b",
    r"we <ADV>(?:require|insist on|stick (?:to|with)|follow|adhere to|format|squash|rebase|name|indent|write|spell|sort|tag|version|pin|lint|sign|prefix|document|test|review|enforce|keep|put|store|return|wrap|handle) (?!<THIS>)\w",
    r"(?:before|after|when|if) you (?:add|change|write|touch|create|edit|modify|commit|push|merge|open|rename|delete|remove|refactor|introduce|finish|generate|propose|suggest|make|bump|update|release|deploy|need|are unsure|aren'?t sure|don'?t know|review)\b(?! (?:this|that|it|the|these)\b).*(?:,| then ) ?(?:please |always |also |you )*(?:run|use|add|write|ask|tell|check|update|regenerate|bump|say|put|make|start|show|explain|do|don'?t|never|always|include|mention|list|keep|name|follow|create|document|link|test|lint|format|must|should|first)\b",
    r"(?:all|every|each|any|new) (?:single |new |public |of our |of the |our )*(?:[\w/.-]+ ){1,5}?(?:you \w+ (?:[\w-]+ ){0,3})?(?:must|should|shall|needs?|has to|have to|ought to|goes|go|gets?|uses?|lives?|belongs?|starts?|ends?|carries|carry|requires?|may not|may only|can only|stays?)\b",
    r"[\w./*`\x1a\"' -]{2,60} (?:is|are) (?:strictly |always |completely )*(?:off[- ]limits|read-?only|generated|forbidden|banned|not allowed|prohibited|mandatory|required everywhere|taboo|verboten|a no-?go|sacred|non-negotiable)\b",
    r"(?:please )?(?:don'?t|do not|avoid|refrain from|no need to ever) (?:ever |directly |just )*<LASTING>(?:ing)? (?!<THIS>|an? |anything|yet|more|too|your|any of|a lot|to\b|up\b)(?=[\w`'\"{])(?![^,]*\b(?:here|this|yet|anymore|the|it)\b)",
    r"(?:please )?(?:use|write|prefer|pick|choose|put|say|go with|reach for) (?!<THIS>|an? |another|one |some )[\w./()`+#-]+(?: [\w./()`+#-]+){0,4}?(?:,? (?:instead of|rather than|over) |, not |,? never |,? and not )(?!<THIS>)\w",
    r"(?:please )?(?:stick (?:to|with)|default to|prefer) (?!this|that|these|those|it\b|them|what|plan\b|option|the (?:plan|first|second|old|new))\w",
    rf"{_GENERIC}(?:is|are|stay|stays|go|goes|get|gets|live|lives|belong|belongs|return|returns|use|uses) (?:always )?[\w /.'{{}}-]{{2,50}}, (?:and )?(?:not|never) (?!sure|yet|work|the other|just|only|even)\w",
    rf"{_GENERIC}(?:follow|follows|start with|starts with|end with|ends with|read like|reads like|belong in|belongs in|belong to|go in|go into|go under|go to|go next to|goes next to|goes into|goes in|goes under|live in|live under|live next to|lives under|come first|comes first)\b",
    rf"{_GENERIC}(?:is|are|use|uses|need|needs|have|has|get|gets|go|goes|require|requires)\b(?!.*{_TROUBLE}).*\b(?:in this (?:repo|project|codebase)|here|around here|on this team|in our (?:code|repo|code ?base|project|team)s?){_END}",
    r"(?!the |this |that |these |those |i |you |read )(?:[\w-]+ ){1,4}(?<!ones )only\b(?=[,.;]|$)(?!.*\bthis\b)",
    rf"our (?!customers|users|clients)(?:[\w-]+ ){{1,4}}(?:read|look like|follow|use|are|is|start|end|go|live|come|must|should|have|carry|take|run)\b(?!.*{_TROUBLE})",
    r"[\w /'-]{3,50} (?:don'?t|doesn'?t|won'?t|never|do not|does not|will not) (?:survive|pass|make it (?:past|through)|get past|fly in|get through) (?:my|our|code|me|the)\b",
    r"we(?:'ve| have) (?:got )?an? [\w -]{2,40} for (?:that|this|those|it)\b",
    rf"{_GENERIC}(?:gets?|is|are|will be) (?:rejected|refused|bounced|blocked|reverted|sent back|turned down|closed unread)\b",
    rf"{_GENERIC}(?:must|should|have to|has to|cannot|can'?t|may not|mustn'?t|shouldn'?t|shall|ought to)\b (?!be (?:fixed|done|gone|green|working|ready|enough|fine|possible|easy)\b|pass\b|work\b|find\b|see\b|know\b)(?!.*{_TROUBLE})\w",
    rf"{_GENERIC}always (?!fail|crash|break|hang|work|show|return|get stuck|time|complain|throw|was|were|so|wonder)\w+(?!.*{_TROUBLE})",
    rf"{_GENERIC}never (?!work|happen|finish|return|end|stop|get called|get here|ran\b|run\b|seen|mind|show|loads?\b|came|got\b)\w",
    r"(?:when|whenever|if|before|after|once) you (?!'re done|are done|finish|get\b|have\b|can\b|could\b|want|like\b|see\b|look\b|run it|start\b|need me)[a-z]+ (?!<THIS>)(?:[\w'/.-]+ ){0,5}?[\w'/.-]+, (?:please |always |also |just )*(?!(?:i|you|it|the|that|this|we|what|is|does|do you|can|will|there|they)\b)[a-z]+\b",
    r"(?:every|each) (?:[\w/.-]+ ){1,7}?(?:takes?|returns?|includes?|contains?|accepts?) (?!\d|about|too|over|up to|forever|long|ages|several|one|two|three|the same|an error|null|nothing|\d)\w",
    r"you(?:'re| are) (?:not )?supposed to (?!be here)\w",
    r"we <ADV>(?!only|need|have|are\b|want|see|get|know|think|just|might|will|can|could|should|would|did\b|do\b|don|had|were|was\b|found|got\b|lost|ran\b|saw\b|made|went|came|hope|wonder|believe|guess|agree|understand|miss|lack|still|fixed|both|really|use\b|met|chose|picked|told|said|wrote|built|broke|forgot|talk|spoke|deploy|ship|run\b|host|all\b|already|also|now|currently|call this|look|try|like|love|hate|feel|expect this|say|mean|keep (?:getting|seeing)|end up|ever|never)[a-z]{3,}(?<!ed)(?<!ing) (?!<THIS>|an?\b|to\b|\d|one|two|three|some|in\b|out\b|into|over|up\b|it\b|about|back|here|at\b|on\b|for\b)[a-z][\w-]*",
    importance=CORRECTED,
)
_SENTENCE_RULE = _patterns(
    Kind.RULE,
    r"(?:[\w ,'-]{3,60} )?(?:whenever|wherever|where) (?:possible|you can),? .*|.* (?:whenever|wherever) possible\b",
    r"(?:please )?(?:always )?(?:use|follow|keep to|write|stick with) (?!<THIS>|an? |one )[\w ./()'-]+ (?:in|for|across|throughout) (?:this|our|all|every) (?:\w+ )?(?:repo|repository|project|codebase|package|docs|code|projects|repos)\b",
    r"(?:please )?(?:ask|check with|tell|warn|consult)(?: me| us| with me)?(?: first)? before (?:you )?(?!<THIS>)\w+(?:ing)? (?!<THIS>(?<!anything))\w",
    r"(?!.*\b(?:crash|hang|fail|error|break|broke|get an|gets|i (?:click|run|open|start|type|try|press))).*\b(?:whenever|every time|each time|any time|anytime|everytime) (?:you|we|someone|something|there|an?|code|tests?)\b.*",
    r"(?!(?:the|this|that|it|can|could|show|give|tell|make|fix|run|do|next|more|one|two|three|yes|no|thanks)\b)[\w'/-]+(?: [\w'/-]+){0,4}?,? please\b.*\b(?:me|my|i|our|otherwise|because|like every\w+|always|in every\w*)\b",
    r".*\bunless i (?:say|tell you|ask|explicitly)\b",
    r"(?!(?:can|could|would|will|is|are|do|does|did|what|why|how)\b)(?=.*\b(?:please|you (?:write|make|give|create|generate|send|show|produce|draw|add))\b)(?!(?:please )?(?:fix|add|rename|remove|run|make|change|update|write|show|list|check|find|replace|convert|move|delete|give|tell|create|do|put|set)\b).{3,80}\b(?:for|in|on|with|to) (?:every|all|each|any)\b",
    importance=CORRECTED,
)
_DECISION = _patterns(
    Kind.DECISION,
    r"(?:(?:after|following|since|at|in) [\w' -]{2,40}?,? )?(?:so )?(?:we|the team|the board|the group|management|everyone|i and the team)(?:'ve| have|'re| are|'ll| will|ve)? (?:all |just |finally |now |already |ultimately |recently |jointly |unanimously |then )*(?:decided|agreed|chose|chosen|picked|settled|opted|voted|concluded|committed to|standardi[sz]ed|standardi[sz]ing|landed on|ruled out|rejected|dropped|dropping|ditched|ditching|abandoned|abandoning|adopted|adopting|going with|go with|went with|going for|went for|moving away|moving off|sticking (?:to|with)|staying (?:with|on)|stick with|stay on|killing|retiring|sunsetting|deprecating|scrapping|scrapped|kept|keeping|putting (?:everything|all)|focus(?:s?ing)?(?: only)? on|betting on|investing in|concentrating on)\b(?!.*\b(?:tomorrow|tonight|lunch|meet(?:ing)?|later)\b)",
    r"(?:the )?(?:decision|verdict|outcome|conclusion|final call|ruling|plan of record)(?: [\w']+){0,4}?(?: is| was|:|,)",
)
_POINTER = _patterns(
    Kind.POINTER,
    r".*\b(?:only )?(?:the |our )?<SYSTEM>\b.*\b(?:counts?|wins|is (?:final|binding|authoritative|the reference|what counts))\b",
    r"(?:for |about )?(?:[\w'/-]+ ){0,6}?<SUBJECT>(?: [\w'/-]+){0,6}? (?:is|are|lives?|sits?|stay|stays|go|goes|gets?|happens?|can be found|end up|belongs?)(?: all| now| always)*(?: tracked| documented| kept| stored| filed| found| hosted| maintained| managed| written up| recorded| reported| logged| posted| published| announced| discussed| collected| described| listed)?(?: over)? (?:in|on|at|under|through|via|into|to) (?:the |our |a |an )?(?:[\w'-]+ ){0,3}?(?:<SYSTEM>|<URL>|(?-i:[A-Z][\w-]+))(?![\w-])",
    rf"(?:the |our |all )?{_GENERIC}(?:is|are|lives?|sits?|go|goes|gets?|get)(?: all| now| always)*(?: \w+ed| found| kept| held| run| put)?(?: over)? (?:in|on|at|under|through|via|into|to) (?:the |our |a |an )?(?:[\w'-]+ )?(?:<SYSTEM>\b|<URL>)(?!.*{_TROUBLE})",
    r"for [\w -]{2,30},? (?:see|check|read|ask in|go to|look (?:at|in)|use|consult|refer to) (?:the |our )?(?:<SYSTEM>\b|<URL>)",
    r"(?:[\w'./-]+ ){1,8}(?:is|are|as) (?:the |our |a )?(?:single )?(?:source of truth|canonical|authoritative)\b",
)
_PROJECT = _patterns(
    Kind.PROJECT,
    r"we(?:'re| are| have|'ve)? <ADV>(?:all )?(?:moved|switched|migrated|changed|ported|upgraded|downgraded|transitioned|replaced|swapped|renamed|raised|lowered|bumped|consolidated|switching|moving|migrating)\b(?! on\b)(?=.*\b(?:to|with|by|from|for|off)\b)",
    r"we(?:'re| are)? <ADV>(?:use|using|on|target|targeting|support|supporting) (?!<THIS>|an? (?:lot|few|different|similar)|to\b|our own)(?:[\w.+#/-]+ ){1,6}?(?:for|in|as|on|here|with|at|everywhere|across|now|internally)\b",
)  # fmt: skip
_CHANGED = _patterns(
    Kind.PROJECT,
    r"we(?:'ve| have)? (?:just |recently |finally )?(?:re)?(?:licensed|branded|platformed|based|hosted|homed) (?:[\w-]+ ){0,4}from [\w.+# -]{2,30} to \w",
    r"(?:about |around |roughly |approximately |nearly |over |up to )?(?:\d[\d.,]*|one|two|three|four|five|ten|twenty|a hundred|a thousand|half a) ?(?:k|m|thousand|million|billion)? (?:daily|monthly|weekly|active|paying|concurrent) (?:active )?(?:users|customers|visitors|requests|orders)\b",
    r"(?!(?:this|that|it|there|what|i|you|he|she|they|which)\b)(?:[\w'/.-]+ ){1,6}(?:moved|switched|migrated|changed|went|renamed|raised|bumped|lowered) (?:over |up |down |back )?(?:from \S+(?: \S+){0,3} )?to (?!<THIS>)\S",
    r"(?!(?:this|that|it|there|what|i|you|we|he|she|they|which)\b)(?:[\w'/.-]+ ){1,5}(?:is|are) (?!<THIS>|work|pass|fail|green|red|fixed|broken|ready|done|fine|ok|up|down|back|gone|\w+ (?:for|with) (?:it|this|that))\S+(?: \S+){0,3} now\b",
)


_PATTERNS = tuple(
    chain(
        _AGENT,
        _POINTER,
        _DECISION,
        _PREFERENCE,
        _SENTENCE_PREFERENCE,
        _SENTENCE_RULE[:-1],
        _RULE,
        _PERSON,
        _PROJECT,
        _SENTENCE_RULE[-1:],
        _CHANGED,
    )
)
ENGLISH = Language(
    code="en",
    table=Table(_PATTERNS),
    clause_end=lazy(
        r"[,;:](?=\s)\s*(?:and |but |or )?|\s+[-–—]{1,2}\s+|\s*—\s*|\s+but\s+|\s+and\s+(?=(?:i|we|you|my|our|your|always|never|don'?t|please)\b)|\s+so\s+(?=(?:i|we|you|don'?t|please|never|always|use|go|explain|keep|make|give|skip|write|be|take|just|let|put|show|treat|assume)\b)|\s*\((?=(?:i|we|my|always|never)\b)",
        re.I,
    ),
    opener=regex(
        r"(?:(?:oh|ok(?:ay)?|so|well|hey|hi(?: there)?|hello|no+|nope|nah|yes|yep|yeah|right|sure|great|good news|nice|perfect|cool|again|first|second|third|here|now|currently|nowadays|these days|update|sorry|look|listen|usually|generally|personally|scratch that|wait|hold on|important|talked to the team|quick (?:note|update|intro)|correction|small (?:thing|note)|general(?: note)?|reminder|context|note|nb|n\.b\.|ps|p\.s\.|too \w+|good morning|morning)[,:!.;-]+\s*"
        r"|(?:oh|ok(?:ay)?|so|well|hey|hi(?: there)?|hello|also|and|but|btw|by the way|fyi|anyways?|anyhow|actually|thanks?(?: you)?|thx|ty|please|pls|plz|just|heads[- ]up|quick intro|(?:just )?so you know|for what it's worth|fwiw|full disclosure|(?:a )?(?:bit|little|quick note|note) (?:about|on) me|about me|as background|disclaimer|for context|for reference|for the record|for your information|one more thing|one last thing|first(?: of all| off)|secondly|thirdly|finally|lastly|besides|additionally|in addition|plus|because|given that|hmm+|ah|aha|ugh|(?:some |a bit of |for |as )?background|to be clear|honestly|frankly|in general|generally speaking|as a (?:general )?rule|turns out|as i said|like i said|as mentioned|let me introduce myself|as you know|(?:in|for) this (?:repo|repository|project|codebase)|in (?:our|my) (?:repo|team|project|codebase|company|house)|over here|around here|at work|on this (?:project|team)|what is relevant|(?:can|could|would|will) you(?: please)?)(?:[,:!.;-]+\s*|\s+)"
        r"|(?P<standing>from now on(?:wards)?|from (?:here|today|this point|now|tomorrow) (?:on(?:wards?)?|forward)|going forward|moving forward|henceforth|in (?:the )?future|for the future|for future reference|as of (?:now|today)|starting (?:now|today)|effective immediately|by default|as a default|at all times|for (?:next|all future) time|next time|permanently|in all (?:my |our )?projects|everywhere|across all projects|for all (?:my|our) projects|on all (?:my|our) (?:projects|repos))(?:[,:!.;-]+\s*|\s+)"
        r"|(?P<remember>(?:please |do |always |also )?remember(?: this| that| for (?:later|next time|the future))?(?! (?:when|the time|how|last|me\b|if|who|where|what|that (?:time|bug|one)))|(?:please )?(?:keep|bear) in mind(?: that)?|(?:please |do )?(?:note|memori[sz]e)(?: down| that| this)+|don'?t forget(?! (?:the|to|this|it|about|your)\b)(?: that)?|(?:please )?(?:make|take) (?:a )?note(?: that| of this| of the fact that)?|for (?:your|the) (?:memory|notes)|note to self|save this|store this|write (?:this|that) down|add (?:this )?to (?:your )?(?:memory|notes))(?:[,:!.;-]+\s*|\s+|$))*(?:(?:that|to)\s+(?=\w))?"
    ),
    standing=regex(
        r"\b(?:from now on(?:wards)?|from this \w+ on(?:wards)?|from (?:here|today|this point|now) (?:on(?:wards?)?|forward)|going forward|moving forward|henceforth|in (?:the )?future|for the future|as of (?:now|today)|starting (?:now|today)|always|never|whenever|permanently|for good|every time|at all times|by default|in general|generally|as a rule|across the board|from this day|any ?more|ever|until further notice|unless i (?:say|tell|ask)|(?:in|for) this (?:project|repo|codebase|repository))\b"
    ),
    everywhere=regex(
        r"\b(?:(?:all|any|every|each)(?: of)?(?: my| our| the)? (?:projects?|repos|repositor(?:y|ies)|codebases?)|everywhere i work|globally|in general)\b"
    ),
    question=regex(
        r".*\?[\"'”’)]*\s*$|(?!what .{0,30}:)(?:(?!what (?:i (?:need|want|like|hate|prefer|expect)|drives|annoys|bugs|matters|works|helps)\b|how i\b|where (?:possible|we|it makes)\b)what(?:'s)?|why|who|where|how|which|is|are|does|did|can|could|would|should|any idea)\b (?!of\b)|do (?:you|we|i|they|those|these)\b|i(?:'m| am|'ve been| was)? (?:always |just |often |sometimes )?(?:wonder(?:ing)?|curious|not sure (?:if|whether|why|how|what))\b|remember (?:when|that time|the time|how we)\b|.*\b(?:do you know|any ideas?|right|correct)\s*\?"
    ),
    joke=regex(
        r"(?:oh|yeah|haha|lol|ha),? (?:sure|right|great|brilliant|of course|yeah)\b|(?:just |only |i'?m |i am |haha,? |lol,? |obviously )*(?:kidding|joking|jk|j/k|messing with you|pulling your leg|sarcasm)\b|.*(?:/s$|🤣|😂|😜|😝)|(?:ha(?:ha)+|lol|lmao|rofl)\b,? (?:yeah|sure|right|yes|of course)|.*\bas if\b\s*$|no i'?m not(?: really)?\b"
    ),
    retraction=regex(
        r"(?:.*\b(?:but|no|nah|actually|hmm|oh|ok|well),? )?(?:(?:oh |no,? |nah,? |actually,? |hmm,? )*(?:forget it|never ?mind|nvm|scratch that|ignore (?:that|me|what i said)|disregard(?: that)?|doesn'?t matter|strike that|not true|that was a joke|i take (?:that|it) back))\b"
    ),
    material=regex(
        r"(?:.*\b)?(?:translate|proof-?read|polish|rephrase|reword|re-?write|paraphrase|summari[sz]e|improve|correct|fix the (?:grammar|spelling|wording)|spell-?check|shorten|edit|format|convert|critique|parse|classify|annotate|explain|review|comment on|turn|what do you (?:make of|think of)|is (?:this|that) (?:ok|right|good)|check|put|add|save|paste|store|here'?s|here is|here are|attaching|attached|the (?:email|mail|message|text|prompt|note|ticket|readme|docs?|log|output|error|comment) (?:says|reads|is)|says|said|wrote|writes|reads|got (?:this|the following)|look at this|example|output)\b"
    ),
    fiction=regex(
        r"(?!(?:my|our|we)\b)(?:.*\b)?(?:(?:write|draft|continue|make up|invent|create|generate|compose|improve|give me|need|finish|polish|produce|act out|come up with|help me with|role-?play)\b.*\b(?:stor(?:y|ies)|poems?|dialog(?:ue)?s?|scenes?|personas?|characters?|novels?|lyrics|screenplay|play|fairy tale|cover letter|bio|biography|profile text|testimonials?|user stor(?:y|ies)|monologue|system prompt|npc|fan ?fic(?:tion)?|role-?play|speech|limerick|sitcom|e-?mails?|letters?|messages? to|mock interview|quiz|lorem ipsum|dummy (?:text|data)|fake (?:users?|profiles?)|tweets?|blog ?post|advert|slogan)\b|role-?play|pretend (?:to be|you|that you|i)|let'?s play|you are playing|in the voice of)"
    ),
    heading=regex(
        r".*\b(?:rules?|conventions?|from now on|going forward|preferences?|about (?:me|myself)|remember|keep in mind|guidelines?|always|never|things to know|house style|standards?|notes for you|ground rules|how i (?:work|like)|please follow|we use|our stack|decisions?|where things (?:are|live))\b"
    ),
    request=regex(
        r"(?:(?:so|and|then|now|please|also|next|but|ok|first|just|anyway|meanwhile|can you|could you|would you|will you|let'?s|go ahead and|i need you to|i want you to|i'd like you to|help me(?: to)?|try to) ?,? ?)*(?:fix|find|show|tell|explain|implement|refactor|reformat|rename|port|write|draft|create|generate|summari[sz]e|look|check|have a look|take a look|read|open|run|rerun|build|compile|install|debug|review|delete|remove|redo|update|change|convert|translate|split|merge|push|pull|commit|deploy|list|compare|plot|draw|sort|print|search|grep|count|move|migrate|set|add|make|give|put|apply|start|continue|proceed|test|try|help|describe|analy[sz]e|figure out|clean up|document|bump|upgrade|rebase|squash|revert|extract|inline|replace|export|import|parse|optimi[sz]e|profile|investigate|design|plan|propose|suggest|answer|regenerate|format|lint|do)\b|(?:can|could|would|will) you\b|what\b|why\b|how\b|where\b|which\b|who\b|is (?:there|it|this)\b|does\b|do (?:you|we)\b"
    ),
    tail=regex(
        r"(?:[\s,;:]*(?:please|pls|plz|thanks?(?: you| a lot)?|thx|btw|by the way|lol|haha|(?<=[,.;!] )ok(?:ay)?|(?<![a-z])right|(?<![a-z])though|(?<![a-z])tho|(?<![a-z])fyi|from now on(?:wards)?|going forward|in (?:the )?future|anyway|(?<![a-z])ugh|(?<=\s)[:;]-?[)(DP]|:\)|;\)|[.!,;:?…]))+[\s)]*$|\s*\)+$(?<=[^(]\))"
    ),
    about_answers=regex(
        r"\b(?:answers?|repl(?:y|ies)|respond|responses?|explain|explanations?|talk to me|speak|tone|emojis?|verbose|concise|summar(?:y|ies)|recaps?|bullet points?|apologi[sz]\w*|call me|address me|jargon|hand-?holding|in <LANGUAGE>)\b(?!.*\b(?:api|endpoint|http|json|server|code|error)\b)"
    ),
    addition=regex(r"\b(?:also|too|as well|in addition|additionally|on top of|besides|plus|another)\b"),
    present=regex(r"\bnow\b(?! (?:that|and then)\b)"),
    changed=regex(
        r"\b(?:moved|migrat\w+|relocat\w+|cut ?over|swapped|switched|replaced|renamed|changed|promoted|upgraded|ported|tightened|loosened|relaxed|raised|lowered|bumped|lifted|cancelled|canceled|retired|is history|(?:is|are|got|went|been) (?:gone|dead|over|out|lifted|switched off|turned off|shut down|read-only)|no longer|any ?more|these days|nowadays|as of|instead|after all|back to|no more|new (?:rule|policy|plan|job|title|name|address|laptop|machine|value|limit)|used to be|was wrong|was silly|correction|update)\b"
    ),
    old_value=(
        regex(r"\bfrom (?P<old>(?-i:[A-Z0-9])[\w.+#-]*(?: (?-i:[A-Z])[\w.+#-]*)*|[\w.+#-]+(?: [\w.+#-]+)?) to\b"),
        regex(
            r"\b(?:no longer|don'?t|do not|aren'?t|isn'?t|not)(?: \w+){0,2}? (?:on|use|using|run|in|with|at|a|an|the)? ?(?P<old>[\w.+#-]+)(?: \w+){0,2} (?:any ?more)\b"
        ),
        regex(
            r"\bno longer (?:\w+ing |in |on |at |with |use |work (?:at|for) |a |an |the )?(?P<old>[\w.+#-]+(?: [\w.+#-]+)?)"
        ),
        regex(
            r"\bno longer (?:want|like|need|prefer|use|write|do) [\w' -]{2,40}? (?:in|on|with|at|as) (?P<old>[\w.+#-]+(?: [\w.+#-]+){0,2})"
        ),
        regex(
            r"\b(?:instead of|rather than|replac(?:ed|es|ing)|dropp(?:ed|ing)|ditch(?:ed|ing)|moved (?:off|away from)|moving (?:off|away from)|got rid of|left|quit|retired|scrapped|abandoned) (?:the |our |in |on |with |at )?(?P<old>[\w.+#-]+(?: [\w.+#-]+){0,2})"
        ),
        regex(
            r"\b(?P<old>[\w.+#-]+?)(?: (?:account|server|box|setup|licen[cs]e|instance))?(?:'s| is| was| has| have| are| got|'s been| has been)(?: been| now| finally)* (?:gone|dead|history|replaced|retired|out|closed|shut (?:off|down)|switched off|turned off|decommissioned|phased out|discontinued|dropped|scrapped|killed off?)\b"
        ),
        regex(r"\b(?:swapped|traded|exchanged|replaced|left) (?:out )?(?P<old>[\w.+#-]+) (?:for|with)\b"),
        regex(
            r"\b(?:rather|sooner) (?:have|use|see|get|read|take) [\w .+#-]{2,40}? than (?P<old>[\w.+#-]+(?: [\w.+#-]+){0,2})"
        ),
        regex(r"\b(?:gone|going|went|weaned myself) off (?P<old>[\w.+#-]+(?: [\w.+#-]+)?)"),
        regex(r",? not (?:in |on |with |at )?(?P<old>[\w.+#-]+(?: [\w.+#-]+){0,2}?)(?: any ?more)?[\s.!]*$"),
    ),
    slots=SLOTS,
    reason=regex(
        r",?\s+(?:because|since(?! \d)|as (?:it|we|they|our|the(?! [\w-]+(?: [\w-]+)?[\s.!]*$))|due to|so that|given that|on account of|the reason (?:is|being)|for the reason that)\s+|:\s+(?=we (?:got|were|had)|it |our )"
    ),
    anaphoric=regex(
        r"(?:the )?same \w+(?: as (?:before|ever))?|(?:the )?(?:old|existing|other|rest of the|remaining)\b.{0,30}\b(?:stays?|remains?|left|as (?:it|they) (?:is|are)|alone)\b.{0,20}|(?:always|never|please|just|do|don'?t|from now on|keep|use|say|make|go|stay|it|like|ever|again| )*(?:that|this|it|so|them|like (?:this|that)|that way|this way|doing (?:that|this|it)|always|never|the same)[ .!]*(?:again|way|please|from now on)?"
    ),
    forget=regex(
        r"(?!.*\b(?:shifted|moved|changed|switched|renamed)\b.*\bforget\b)(?:(?:[^,;:.!]{0,40}[,;:.!-]+ ?)?(?:(?:ok|okay|no|hey|oh|lol|wait|actually|also|and|but|so|just|please|pls|kindly|now|hmm?|sorry|can|could|would|will|you|we|should|may|must|need to|have to|i|i'd|i'll|want|like|you to|let's|better|ask you to|go ahead and)[, ]+)*)"
        r"(?:(?:(?:forget|un-?learn|un-?remember|disregard(?= my | what i| everything)|ignore(?= my (?:remark|comment)| what i))(?: about| my (?:remark|comment|note) (?:on|about))?(?! to\b)|(?:erase|wipe|scrub|scrap|purge|strike|bin|remove|delete|drop|discard|lose|clear|cross|scratch|retract|take back|withdraw|throw (?:out|away)|get rid of)(?: out| off)?(?=.*\b(?:(?:your|my|the|from|in) (?:memory|memories|notes?|records?|head)|what (?:you know|i (?:just )?(?:said|told|mentioned|wrote)|you(?:'ve| have) (?:stored|saved|noted))|you know (?:about|of)|i (?:just )?(?:said|told you|mentioned)|(?:bit|part|thing|fact|stuff|remark|item) (?:about|on|with|concerning|regarding)|(?:that|the|my) (?:[\w-]+ )?(?:wish|remark|preference)\b|that (?:line|decision)\b|(?:that|the|this) [\w-]+ thing|(?:that|this|the) last (?:bit|part|thing|one)|(?:preference|fact|memory|note) (?:about|of)|my (?:name|age|birthday|address|employer|company|job|location|city|phone|email)|(?:that|this|the \w+) (?:bit|part|fact|preference|note)(?=[\s.!]*$))\b))"
        r" (?P<what>[^,;.!?\n]{1,80}?)(?=\s+(?:please|thanks|and|but|because|since|from (?:your|my|the)|for good)\b|[\s,;.!?]*$|[,;.!?])"
        r"|(?:(?:don'?t|do not|never|no need to|you needn'?t|you shouldn'?t|rather you didn'?t|prefer (?:that )?you didn'?t|prefer you not|rather you not|better not|stop|not) (?:remember|memori[sz]e|save|store|keep|record|note(?: down)?|write down|retain|hold on to|hang on to)(?:ing)?) (?P<what2>(?:that|this|it|any of (?:that|this)|what i (?:just )?said|anything about|everything about|my \w[\w' -]{1,40}|the [\w' -]{1,40}|(?:that|this) (?:one|bit|part))(?: (?:about|of|on) [\w' -]{2,40})?)(?! (?:in|to|on|under|at|as|file|button|with|for|short|up|open|small|simple|brief)\b(?! (?:your |any )?(?:memory|notes|mind|record|file))))"
        r"|(?:(?P<what4>i never want [\w' -]{3,50}) (?:mentioned|brought up|remembered|stored)(?: again)?\b.*)"
        r"|(?:on (?:reflection|second thoughts?),? )?(?P<what3>(?:the|that|this|my) [\w' -]{2,40}) (?:should not|shouldn'?t|must not|mustn'?t|isn'?t to) be (?:stored|remembered|kept|saved|recorded|written down)"
    ),
    recent=regex(
        r"\b(?:just (?:now|said|told|mentioned)|last (?:thing|bit|part|one|rule|remark)|(?:that|this) (?:rule|wish|line|decision|preference|remark|comment|convention|thing))\b"
    ),
    nameless=regex(
        r"(?:that|this|it|any of (?:that|this)|(?:all|everything) (?:of )?(?:that|this)|(?:what|everything|all|anything|that) (?:that )?i (?:just )?(?:said|wrote|told you)|everything i said|the last (?:thing|one|bit|message)|(?:that|this) (?:one|bit|part|thing|rule|preference|fact|last bit|last one|last part)|i (?:ever )?(?:said|mentioned|told you)(?: (?:that|this))?)(?: (?:again|now|then|ok))?$"
    ),
    of_rules=regex(r"\b(?:rules?|conventions?|preferences?|habits?|wish|policy|standards?|instructions?)\b"),
    spare=regex(
        r"(?<!n't )(?<!not )(?<!never )(?<!rather you )\b(?:stays?|stand|stands|keep|remains?|still|leave|holds?(?! (?:it|that|this|on)\b)|hang on to|harmless|may know|(?:is|are|'s|'re) (?:\w+ )?(?:fine|ok|okay|right|good|correct|true))\b"
    ),
    aliases=ALIASES,
    render=render,
    grams=grams,
    openers=openers,
    correction=regex(
        r"^(?:(?:oh|ok|hmm|well|sorry|hey),? )*(?:scratch that|strike that|correction|hold on|i (?:told you wrong|got (?:it|that) wrong|lied|misspoke|was wrong|take (?:that|it) back|meant)|i(?:'ve| have)? changed my mind|on (?:reflection|second thoughts?)|news:|wait|no,? (?:wait|actually|sorry)|actually|my (?:bad|mistake)|never ?mind)\b|\b(?:replac|swapp|dropp|ditch|abandon|scrapp|retir)\w+ (?:it|that|this|them)\b|\bso it'?s (?!not\b)[\w.+#-]+(?: now)?\b|\b(?:it|that)(?:'s| is| was) (?:\S+ ){1,3}now\b|\bchanged my mind\b|\bi misspoke\b"
    ),
    kind_of=kind_of,
)
