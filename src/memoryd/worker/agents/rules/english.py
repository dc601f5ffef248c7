"""English: the words in which people speak about themselves, their rules and their projects."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re
from dataclasses import replace
from itertools import chain

from memoryd.worker.agents.rules.english_cues import kind_of, weigh
from memoryd.worker.agents.rules.english_grammar import render
from memoryd.worker.agents.rules.english_words import regex
from memoryd.worker.agents.rules.patterns import (
    CORRECTED,
    MENTIONED,
    PREFERRED,
    Extent,
    Kind,
    Language,
    Pattern,
    Table,
)


def _patterns(
    kind: Kind, *regexes: str, extent: Extent = Extent.REST, importance: float = MENTIONED, standing: bool = False
) -> tuple[Pattern, ...]:
    return tuple(
        Pattern(
            kind=kind, regex=regex(words.replace("$", _END)), extent=extent, importance=importance, standing=standing
        )
        for words in regexes
    )


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
    rf"(?:my (?:first |full |real |last )?name(?:'s| is)|(?:the )?name'?s|i'?m called|i am called|i go by|people call me|everyone calls me|(?:you can |please |just )*call me) {_NO_NAME}{_NAME}",
    rf"(?:i'?m|i am) {_NO_NAME}{_NAME}(?= here\b|$| from\b| with\b| at\b| and\b|\s*\()",
    rf"(?:it'?s|that'?s|make (?:that|it)) {_NO_NAME}{_NAME} now\b",
    rf"{_NO_NAME}{_NAME}(?= here$)",
    rf"name is {_NO_NAME}{_NAME}",
    rf"this is {_NO_NAME}{_NAME}(?= here\b| from\b| speaking\b)",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:an?|the|our|one of the|your|from the|part of the|on the|in the) (?:[\w/+#.-]+ ){0,5}?(?:<ROLE>|team|department|group)\b(?! (?:of|to) (?:this|that))",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:a )?(?:(?:junior|senior|staff|tech(?:nical)?|team|lead|principal|full-?stack|front-?end|back-?end|data|devops|product|engineering|head|vp|director|qa|ux|web|mobile|embedded|software|platform) )+(?:of )?[\w-]+",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:severely |partially |fully |partly |legally )*<CONDITION>\b",
    r"(?:i'?m|i am) <ADV>(?:not )?<ADV>(?:very |pretty |quite |fairly |rather |brand |totally |completely |relatively |kinda )*(?:new to|fluent in|proficient in|experienced (?:with|in)|familiar with|comfortable with|good at|bad at|terrible at|rusty (?:at|in|with)|an expert in) (?!<THIS>)\w",
    r"(?:i'?m|i am) <ADV>(?:based|located|living|sitting|stationed|originally) (?:in|out of|from|near|at) \w",
    r"(?:i'?m|i am) <ADV>(?:learning|studying|majoring in|training (?:to be|as)) (?!<THIS>)\w",
    r"(?:i'?m|i am) (?:from|in|at) (?-i:UTC|GMT|CET|EST|PST|[A-Z][a-z]{2,})\b(?! (?:branch|mode|file))",
    r"(?:i'?m|i am) <ADV>(?:on|using|running|typing on) <TOOL>\b(?! (?:in|inside) )",
    r"i <ADV>(?:use|run|type on|am on|work on|live in|code in) <TOOL>\b",
    r"i <ADV>use [\w.+#-]+(?: [\w.+#-]+){0,3} (?:as my|for everything|for all|on my|at work|at home|daily|every day|exclusively)\b",
    r"i <ADV>work (?:nights|days|shifts|from|remotely|part[- ]time|full[- ]time|freelance|as|at|for|in) (?!<THIS>)\w",
    r"i <ADV>work (?:on|with|in) (?:the |our |an? )?(?:[\w&-]+ ){0,3}(?:team|department|group|industry|side|<DOES>)\b",
    r"i <ADV>(?:do|write|build|teach|handle) (?:mostly |mainly |only |some |lots of |a lot of )*(?:<DOES>|[\w+#-]+ for a living|[\w+#-]+ at (?:an?|work))\b",
    r"i <ADV>(?:lead|manage|head|oversee|supervise|coach|coordinate) (?:an?|the|our|my|two|three|four|five|\d+)\b",
    r"i <ADV>(?:maintain|co-?maintain|own|package|develop|write) (?:the|an?|our) (?!<THIS>)(?:[\w+#-]+ ){0,3}(?:package|library|port|driver|plugin|firmware|app|apps|compiler|kernel|sdk|docs|distribution|fork)\b",
    r"i <ADV>(?:come|came) from (?!<THIS>)\w",
    r"i <ADV>work (?:[\w-]+ ){0,2}(?:days?|hours?|shifts?|mornings?|evenings?|weekends?)\b",
    r"i(?:'ve| have)?(?: got)? (?:about |around |roughly |over |nearly |almost |only |just )*[\w.]+ (?:years?|months|weeks|decades?) (?:of|in|with|under|as)\b",
    r"i(?:'ve| have) only <ADV>\w+ (?!<THIS>)\w",
    r"we(?:'re| are) (?:just |only |basically |still )*(?:an? |two |three |four |five |six |\d+ )[\w -]{0,30}?(?:team|shop|company|startup|agency|people|devs|developers|engineers|studio|non-?profit|lab|school|bank|hospital|university|ngo|charity|firm)\b",
    r"i <ADV>(?:run|own|maintain|founded|co-?founded) (?:an?|the|our|my)(?: [\w&-]+){0,4} (?:team|company|shop|lab|group|studio|agency|meetup|startup|library|project|department|practice|business|bakery|store|firm)\b",
    r"i <ADV>(?:teach|study|studied|research|majored in|trained as|graduated) (?!<THIS>)\w",
    r"i <ADV>(?:live|reside|sit|grew up|come from|moved to|relocated to)\b (?:in |near |at |to |from )?(?!<THIS>)(?-i:[A-Z])",
    r"i <ADV>(?:speak|read|understand) (?:[\w-]+ ){0,3}<LANGUAGE>\b",
    r"i (?:have|'ve got|ve got|suffer from|got) (?:a |an |some |bad |mild |severe )*(?:adhd|add|dyslexia|dyscalculia|rsi|tinnitus|carpal tunnel|astigmatism|autism|epilepsy|(?:bad |poor |low )(?:eyesight|vision|hearing)|(?:no|zero|limited|basic|some) (?:[\w-]+ )?(?:experience|background|training|knowledge)|little (?:[\w-]+ )?experience|(?:an? )?[\w-]+ background|background in|(?:\d+|ten|two|three|five|many|several|a few|twenty)\+? years|phd|degree|master'?s)\b",
    r"i(?:'ve| have|ve) <ADV>(?:been |worked |used |written |done |run |spent |coded |programmed |shipped |maintained |taught )(?!waiting|trying|staring|stuck)(?=.*\b(?:years?|decades?|months|career|life|ages|since \d{4}|since (?:the|my|i))\b)",
    r"i(?:'ve| have|ve) (?:never|only(?: ever)?|barely|hardly|rarely) <ADV>(?:used|touched|written|worked|done|learned|learnt|programmed|coded) (?!<THIS>)\w",
    r"i <ADV>know (?!<THIS>)(?:[\w+#.-]+ ){1,4}(?:well|inside out|already|by heart|pretty well|fluently|but\b|very well|a bit|basics)",
    r"i (?:don'?t|do not) <ADV>(?:know|speak|read|understand|write) (?:any |much |a lot of |a word of )*(?:<LANGUAGE>\b|(?-i:[A-Z][\w+#]+)(?: (?:well|at all|yet))?)",
    r"i (?:can'?t|cannot) (?:see|hear|read|tell|distinguish) (?:colou?rs?|red|green|small|tiny|low[- ]contrast|audio|images?|pictures?|screenshots?|videos?)\b",
    r"i <ADV>use (?!<THIS>|an?\b|one\b|both\b)[\w.+#-]+(?= for (?:everything|most|all)\b| every ?day\b| at work\b| at home\b| now\b|$)",
    r"i <ADV>(?:use|indent with|type) (?:tabs|spaces|\w+ spaces)\b",
    r"i(?:'ve| have)? ?(?:just |recently |finally )?(?:gave up on|given up on|stopped using|quit using|ditched|dropped|moved on from|traded) (?!<THIS>)\w",
    r"(?:been|worked) <ADV>(?:doing |writing |using |coding |programming |working |in |as |with )*(?!<THIS>)[\w+#. -]{2,40}(?: for| since)\b .*(?:years?|decades?|months|\d{4}|career|life)\b",
    r"my <MY> (?:is|are|runs|was|isn'?t|aren'?t|'s)\b(?! (?:broken|crash|hang|slow|not working|down|on fire|stuck|full|dead))",
    r"<LANGUAGE> (?:is|isn'?t|is not) my (?:first|second|native|third)\b",
    r"(?:[\w+#./-]+ ){1,4}(?:is|are) <ADV>(?:(?:completely|totally|all|still|pretty|very|brand|quite|relatively|fairly) )*new to me\b",
    r"(?!<THIS>)(?:[\w+#./-]+ ){1,4}(?:is|are) <ADV>(?:a closed book|greek|foreign|alien|unknown territory|a mystery|uncharted) to me\b",
    r"i(?:'ve| have) <ADV>[a-z]+ed .{2,40}\b(?:for (?:ages|years|decades|\w+ years)|since \d{4}|all my life)\b",
    r"(?!(?:the|this|that|your|my)\b)(?:[\w-]+ ){0,4}<ROLE> now\b",
    r"i <ADV>(?:don'?t|do not|never|can'?t|cannot) (?:eat|drink|smoke|drive|fly|work on|work after|work before)\b (?!<THIS>)\w",
    r"i(?:'m| am) (?:doing|finishing|writing|pursuing|halfway through) (?:my|an?) (?:master'?s?|phd|bachelor'?s?|thesis|internship|apprenticeship|degree|residency|doctorate)\b",
    r"(?:please )?(?:address|refer to) me as \S",
    r"coming from (?:an? )?(?-i:[A-Z])",
    r"as an? (?:[\w/+#.-]+ ){0,4}<ROLE>\b(?! would)",
    r"as someone (?:who|with|that)\b",
    r"being (?:an? )?(?:[\w-]+ ){0,2}(?:<CONDITION>|<ROLE>)\b",
    r"(?:you can |you may |please )?assume (?:i know|i'?m|that i|[\w+#./-]+ knowledge|knowledge of|familiarity with|i'?ve)\b",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:got|been|was|were) (?:promoted|hired|transferred)\b",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:switched|moved|changed|migrated|went) (?:over )?(?:from [\w .+#-]{2,30} )?(?:to|jobs|teams|back to) (?!<THIS>|the (?:next|other))\w",
    r"i(?:'ve| have|ve)? ?(?:just |recently |finally )?(?:joined|left|quit|started at|became|retired from) (?!<THIS>)\w",
    r"i(?:'ll| will) be (?:taking over|leading|maintaining|joining|the new)\b",
    extent=Extent.CLAUSE,
)
_PERSON += tuple(
    replace(pattern, follows=True)
    for pattern in _patterns(
        Kind.PERSON,
        r"(?:an?|the|our|your) (?:[\w/+#-]+ ){0,4}<ROLE>\b|(?:coming|came|fresh) (?:over )?from (?!<THIS>)\w|from the [\w -]{2,30}\b(?:side|team|department|world|group)\b|(?:based|located|working|living) (?:in|out of|as|at|on|from)\b|with \w+ years\b|(?:formerly|previously|originally|mostly|mainly) (?:an? |in |on |doing |writing )?\w|(?:mon|tues|wednes|thurs|fri|satur|sun)days? off\b|no (?:[\w-]+ )?(?:background|experience|training)\b|non-?\w+$|self-taught\b",
        extent=Extent.CLAUSE,
    )
)
_AGENT = _patterns(
    Kind.AGENT,
    r"your (?:new )?(?:name|role|job|persona|nickname)(?: (?:here|in (?:this|the|our) [\w -]+?|for (?:this|the) [\w -]+?|from now on|is now))?(?: is| will be| shall be|'s|:|\s*=) ?(?!to (?:fix|find))\w",
    r"(?:i'?ll|i will|i'?m going to|i'?m gonna|let me|let'?s|i want to|i'?d like to|we'?ll|we) (?:just )?(?:call|name|refer to) you\b(?: as)? (?!<THIS>|back|when|if|later)\w",
    r"(?:you'?re|you are|you'?ll be|you will be|you shall be) (?:now )?(?:called|named|known as) \w",
    r"(?:you'?re|you are|you'?ll be|you will be|you act as|you serve as) (?:now )?(?:my|our|the team'?s|this (?:repo|project|team)'?s) (?:[\w-]+ ){0,3}<AGENTROLE>\b",
    r"(?:let'?s |i'?ll |i will |we'?ll )?(?:give|gave|giving) you (?:a |the )?(?:new )?(?:nick)?name\b.{2,}",
    r"(?:please )?(?:call yourself|answer to the name|answer to|go by|refer to yourself as|sign (?:off )?as|think of yourself as) (?:the name )?(?!<THIS>)\w",
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
    r"i(?:'m| am|m) <ADV>(?:not )?<ADV>(?:an?|much of a) (?:(?:big|huge|great|massive) )?(?:fan of|believer in|proponent of)(?! (?:this|that|it|your)\b)",
    r"(?:not )?a (?:big |huge )?fan of (?!<THIS>)\w",
    r"i(?:'m| am|m) <ADV>(?:not )?<ADV>(?:fond of|keen on|in favou?r of|a sucker for|partial to|allergic to|picky about|big on|happiest with|happiest when|fussy about|particular about|old[- ]school about|used to) (?!<THIS>)\w",
    r"(?:it|nothing) (?:really |always )?(?:annoys|bugs|bothers|irritates|drives|helps|confuses|distracts|irks|frustrates|upsets|puts) me\b(?=.*\b(?:when|if|like|than|off|crazy|nuts|mad)\b)",
    r"(?!(?:this|that|it|your|you|he|she|they|which|what)\b)(?:[\w'/-]+ ){1,6}(?:works?|read|reads|is|are|feels?|looks?) (?:much |way |so much |always |usually )?(?:best|better|easier|hard|harder|tough|nicer|clearer|confusing|distracting|exhausting) (?:for|to|on) (?:me|my)\b",
    r"i <ADV>(?:find|found|consider) (?!<THIS>)[\w '/-]{3,50} (?:easier|harder|hard|more|less|distracting|confusing|annoying|unreadable|readable|ugly|exhausting|noisy|clearer|helpful|useless|tiring)\b",
    r"i <ADV>(?:think|reason) in (?!<THIS>)\w",
    r"(?!(?:this|that|it|the|your|he|she|they)\b)(?:[\w'/-]+ ){1,6}(?:is|are|isn't|aren't) (?:fine|ok|okay|good|great|perfect|no good|useless|no use|all right) (?:by|with|for|to) me\b(?! (?:now|today|too$))",
    r"(?:please )?(?:don'?t|do not|stop) .{3,60}?\b(?:with|to|at|on) me\b(?!.*\b(?:yet|now)\b)",
    r"spare me (?:the|your|any|all)\b",
    r"it (?:helps?|helped) (?:me )?(?:a lot |so much |much |really )*(?:if|when) you\b",
    r"i <ADV>(?:learn|think|work|read|understand|concentrate|focus) (?:things )?(?:best|better|faster) (?:with|when|from|in|by|through|if)\b",
    r"(?:keep|make) (?:it|things|everything|your|the|all|all your|any)? ?(?:[\w-]+ )?(?:<TALK> )<SHAPE>\b",
    r"(?:keep|make) (?:<TALK>|everything) (?:[\w-]+ )?<SHAPE>\b",
    r"(?:please )?no (?:more )?(?:[\w-]+ ){0,2}<TALK>\b(?! (?:yet|found|here|in the|for this))(?!.*\b(?:in this|in the)\b)",
    r"(?:please )?stop (?:saying|apologi[sz]ing|adding|using|explaining|praising|repeating|asking|writing|starting|ending|thanking|calling|summari[sz]ing)\b(?! (?:this|that|it|the|here)\b)",
    r"(?:please )?(?:skip|spare me|drop|cut|omit|leave out|lose) (?:the |all |any |your )?(?:[\w'-]+ ){0,2}(?:pleasantries|recaps?|intros?|preambles?|fluff|filler|disclaimers?|flattery|praise|small talk|emojis?|apologies|summary|summaries|lectures?|hand-?holding|jargon|caveats|marketing speak|platitudes|hedging|compliments)\b",
    r"(?:less|fewer|more|shorter|smaller|longer|simpler|plainer) (?:[\w-]+ )?<TALK>\b",
    r"(?:please )?(?:answer|reply|respond|talk|speak|write back|chat|communicate)(?: to me| with me| me)?(?: only| always)? in (?:plain |simple |proper |easy |british |american )?<LANGUAGE>\b",
    r"(?:please )?(?:talk|explain|speak)(?: things| stuff| everything)? to me (?:like|as if|as though)\b",
    r"(?:you can|you may|feel free to|please) (?:be|get|stay|talk) (?:more |less |a bit |very )*(?:<SHAPE>|relaxed|familiar|strict|critical|loose)\b",
    r"(?:please )?(?:be|stay) (?:more |less |very )?(?:<SHAPE>|critical|skeptical|sceptical|strict|patient) (?:with me|in (?:your )?(?:answers|reviews|replies)|when|whenever|in general)\b",
    r"(?:[\w'/ -]{3,40}, )?(?:in my book|in my opinion|in my experience|imo|imho|if you ask me|to my taste|for my taste|to me)\b",
    r"(?:please )?(?:don'?t|do not|no need to) (?:sugar-?coat|hold back|baby|lecture|patroni[sz]e|coddle|spare|beat around|hedge|flatter|praise|apologi[sz]e|thank|over-?explain|waffle|ramble|be (?:shy|polite|afraid))\b",
    r"(?:[\w'/-]+ ){1,6}(?:don'?t|doesn'?t|do not|does not) (?:help|work for|do it for|suit|mean (?:anything|much) to) me\b",
    r"(?:if|when|whenever) (?:you(?:'re| are|) ?(?:not sure|unsure|in doubt|n'?t sure|aren'?t sure|guessing|don'?t know|have to guess)|unsure|in doubt|not sure|uncertain)\b",
    r"(?:just )?(?:tell me|say so|ask me|ask) (?:when|if|whenever|before) you (?:don'?t know|aren'?t sure|are not sure|are unsure|'re not sure|'re unsure|are guessing|guess|'re guessing)\b",
    r"(?:if|when|whenever) there (?:is|are|'s) (?:several|more than one|multiple|many|a choice|two|different)\b.*, \w",
    r"i (?:usually |always |generally |tend to |mostly |normally )+(?:go for|go with|reach for|opt for|pick|choose|start with) (?!<THIS>)\w",
    r"i (?:swear by|live by|believe in|insist on|always go for|tend to use|lean towards|gravitate towards)\b",
    importance=PREFERRED,
) + _patterns(
    Kind.PREFERENCE,
    r"i (?:don'?t |do not |never )?<ADV>(?:want|need|expect|like|love|would like|hope for|wish for)\b(?! (?:an?|one|two|some|another)\b)",
    r"(?:i'?d|i would) <ADV>(?:like|love|want|appreciate|be happy|be glad|be grateful)\b",
    r"(?:answer|reply|respond|explain|write|talk|speak|go back|switch back|switch|use)\b[\w ,'-]*\b(?:in|to) <LANGUAGE>\b",
    importance=PREFERRED,
    standing=True,
)
_SENTENCE_PREFERENCE = _patterns(
    Kind.PREFERENCE,
    r"(?!(?:this|that|it|the|your|you|he|she|they|my|what|which|nothing|why|how)\b)(?:[\w'/-]+ ){1,6}(?:annoys?|bugs?|bothers?|irritates?|drives?|helps?|confuses?|distracts?|irks?|frustrates?|make|makes) me\b",
    r".*\b(?:it|that|this|they) (?:just |really |always )?(?:makes?|gives?|drives?|annoys?|bugs?|confuses?|hurts?) (?:me|my)\b",
    extent=Extent.WHOLE,
    importance=PREFERRED,
)
_RULE = _patterns(
    Kind.RULE,
    r"(?:please |you (?:should|must|need to|have to|can) |just )*(?:always|never|don'?t ever|do not ever|under no circumstances|at no point|no matter what|without exception)\b,? (?!\w+ (?:that|this|it|so|them)\s*[.!]?$|mind\b|wonder|heard|seen|knew|thought|forget|the same|a good|good\b|been\b|had\b|again\b|fails?\b|works?\b|worked\b)\w",
    r"you (?:must|should|may|can|are to|need to|have to|'?re (?:not )?(?:allowed|supposed) to|shall|are (?:not )?(?:allowed|supposed) to) (?:always|never|not|only)\b",
    r"we (?:always|never|only|exclusively|strictly|consistently|<ADV>(?:don'?t|do not|won'?t|mustn'?t|must not|can'?t|cannot) (?:allow|accept|commit|push|merge|use|do|write|ship|deploy|mix|mock|abbreviate|add|want|put|hard-?code|rely|import|store|support|log|catch|squash|rebase|release|nest|test|touch|edit))\b(?! (?:this|that|it|the|know|have)\b)",
    r"we <ADV>(?:require|insist on|stick (?:to|with)|follow|adhere to|format|squash|rebase|name|indent|write|spell|sort|tag|version|pin|lint|sign|prefix|document|test|review|enforce|keep|put|store|return|wrap|handle) (?!<THIS>)\w",
    r"(?:before|after|when|if) you (?:add|change|write|touch|create|edit|modify|commit|push|merge|open|rename|delete|remove|refactor|introduce|finish|generate|propose|suggest|make|bump|update|release|deploy|need|are unsure|aren'?t sure|don'?t know|review)\b(?! (?:this|that|it|the|these)\b).*(?:,| then ) ?(?:please |always |also |you )*(?:run|use|add|write|ask|tell|check|update|regenerate|bump|say|put|make|start|show|explain|do|don'?t|never|always|include|mention|list|keep|name|follow|create|document|link|test|lint|format|must|should|first)\b",
    r"(?:before|after|on|for) (?:every|each|any) (?!other\b)\w+",
    r"(?:all|every|each|any|new) (?:single |new |public |of our |of the |our )*(?:[\w/.-]+ ){1,5}?(?:you \w+ (?:[\w-]+ ){0,3})?(?:must|should|shall|needs?|has to|have to|ought to|goes|go|gets?|uses?|lives?|belongs?|starts?|ends?|carries|carry|requires?|may not|may only|can only|stays?)\b",
    r"no (?:[\w-]+ ){0,3}(?!errors\b|issues\b|problems\b|changes\b|worries\b|tests\b|results\b|luck)[\w-]+(?:s|ing) (?:in|on|without|outside|to|for|after|before|anywhere|ever|inside|at|from)\b(?! (?:this|that|it|here|my end)\b)",
    r"(?:please )?(?:treat|consider|regard) (?!this as done)[\w './*\x1a\"-]+ as (?:read-?only|off[- ]limits|frozen|immutable|generated|legacy|untrusted|the source|source|law|sacred|private|public|a)\b",
    r"[\w./*`\x1a\"' -]{2,60} (?:is|are) (?:strictly |always |completely )*(?:off[- ]limits|read-?only|generated|forbidden|banned|not allowed|prohibited|mandatory|required everywhere|taboo|verboten|a no-?go|sacred|non-negotiable)\b",
    r"(?:please )?(?:don'?t|do not) \w+(?! (?:this|that|it)\b) .*\b(?:ever(?: again)?|again|any ?more|under any circumstances|in any case|no matter what)\b",
    r"(?:please )?(?:stay|keep) (?:away from|out of|clear of) (?!<THIS>(?! \w+/))\w",
    r"(?:please )?(?:don'?t|do not|avoid|refrain from|no need to ever) (?:ever |directly |just )*<LASTING>(?:ing)? (?!<THIS>|an? |anything|yet|more|too|your|any of|a lot|to\b|up\b)(?=[\w`'\"{])(?![^,]*\b(?:here|this|yet|anymore|the|it)\b)",
    r"(?:please )?(?:don'?t|do not) (?:ever |directly )*<LASTING> (?:anything|files|code|the files) (?:under|in|inside|outside|below) \S",
    r"(?:please )?(?:don'?t|do not) (?:ever |directly )*(?:use|write|add|put|import|call|log|return) (?:[\w./()`-]+ ){1,6}?(?:for|in|as|to|with|when)? ?[\w./()` -]*, (?:please )?(?:use|write|prefer|go with|do|put|call) ",
    r"(?:please )?(?:use|write|prefer|pick|choose|put|say|go with|reach for) (?!<THIS>|an? |another|one |some )[\w./()`+#-]+(?: [\w./()`+#-]+){0,4}?(?:,? (?:instead of|rather than|over) |, not |,? never |,? and not )(?!<THIS>)\w",
    r"(?:please )?(?:use|write|prefer) (?!<THIS>|an? |another|one |some )[\w./()`+#-]+(?: [\w./()`+#-]+){0,2} instead\b(?! of (?:this|that|the|it)\b)",
    r"(?:please )?(?:stick (?:to|with)|default to|prefer) (?!this|that|these|those|it\b|them|what|plan\b|option|the (?:plan|first|second|old|new))\w",
    r"(?:make sure|be sure|ensure|see to it|remember)(?: that| to)?(?: you)?(?: to)? (?:always|never|every|each|all)\b",
    r"(?:(?:our|the|team|house|project|company|repo|coding|style|my|one|another|general|golden|first|a|hard|strict|new) ){1,3}(?:convention|rule|policy|standard|standards|style guide|guideline|norm|practice|house style|requirement|limit|threshold|minimum|maximum|cap)s?\b[\w ()'-]{0,30}?(?: is| are|:| says?| requires?| demands?| forbids?)",
    rf"{_GENERIC}(?:is|are|stay|stays|go|goes|get|gets|live|lives|belong|belongs|return|returns|use|uses) (?:always )?[\w /.'{{}}-]{{2,50}}, (?:and )?(?:not|never) (?!sure|yet|work|the other|just|only|even)\w",
    rf"{_GENERIC}(?:is|are|go|goes|get|gets|stay|stays) (?:always|never|strictly|only (?:ever|for|in|with|allowed|used))\b(?! (?:work|empty|null|none|called|true|false|run|executed|reached|updated|set|there|fail))",
    rf"{_GENERIC}(?:follow|follows|start with|starts with|end with|ends with|read like|reads like|belong in|belongs in|belong to|go in|go into|go under|go to|go next to|goes next to|goes into|goes in|goes under|live in|live under|live next to|lives under|come first|comes first)\b",
    rf"{_GENERIC}(?:is|are|use|uses|need|needs|have|has|get|gets|go|goes|require|requires)\b(?!.*{_TROUBLE}).*\b(?:in this (?:repo|project|codebase)|here|around here|on this team|in our (?:code|repo|code ?base|project|team)s?){_END}",
    r"(?!the |this |that |these |those |i |you |read )(?:[\w-]+ ){1,4}(?<!ones )only\b(?=[,.;]|$)(?!.*\bthis\b)",
    rf"our (?!customers|users|clients)(?:[\w-]+ ){{1,4}}(?:read|look like|follow|use|are|is|start|end|go|live|come|must|should|have|carry|take|run)\b(?!.*{_TROUBLE})",
    r"(?:(?!the |this |that )[\w-]+ )?[\w/()'-]+ (?:is|are) (?:the way to go|what we use|how we (?:roll|do it|do things)|our (?:standard|default|convention)|the (?:standard|default|norm) here|banned|forbidden|off the table|not a thing here|a no-go)\b",
    r"i (?:won'?t|don'?t|never|will not|do not) (?:merge|approve|accept|sign off on|tolerate|allow|review) (?!<THIS>)\w",
    r"[\w /'-]{3,50} (?:don'?t|doesn'?t|won'?t|never|do not|does not|will not) (?:survive|pass|make it (?:past|through)|get past|fly in|get through) (?:my|our|code|me|the)\b",
    r"we(?:'ve| have) (?:got )?an? [\w -]{2,40} for (?:that|this|those|it)\b",
    r"(?:please )?(?:don'?t|do not|never|no) .*\bwithout (?:asking|checking|telling|my|a (?:test|review|ticket|changelog)|tests|approval|permission)\b",
    r"i (?:don'?t|do not|never) <ADV>want (?!<THIS>|to\b|you\b|more\b|an?\b)[\w-]+(?: [\w-]+){0,3}? (?:in|on|from|with|inside)\b(?! (?:this|that|here)\b)",
    rf"{_GENERIC}(?:gets?|is|are|will be) (?:rejected|refused|bounced|blocked|reverted|sent back|turned down|closed unread)\b",
    rf"{_GENERIC}comes? from [\w /.-]+(?:$|, (?:not|never)\b)",
    r"(?:house |ground |golden )?rules?\b[\w ]{0,30}:",
    rf"{_GENERIC}(?:goes|go|run|runs|get|gets) (?:through|via|into|under|behind|next to|first|last)\b(?!.*{_TROUBLE})",
    r"(?:anything|everything|whatever|stuff) [\w -]{2,40}(?:goes|go|belongs|must|needs|should|gets|has to|have to|stays|lives)\b",
    rf"{_GENERIC}(?:must|should|have to|has to|cannot|can'?t|may not|mustn'?t|shouldn'?t|shall|ought to)\b (?!be (?:fixed|done|gone|green|working|ready|enough|fine|possible|easy)\b|pass\b|work\b|find\b|see\b|know\b)(?!.*{_TROUBLE})\w",
    r"(?:the |our )?(?:[\w-]+ ){0,3}(?:format|scheme|template|convention|naming) (?:is|are) (?!wrong|broken|weird|missing|unclear|off\b)\S",
    r"we (?:say|spell|call|write|name) (?:it|this|that|them) .*\b(?:never|not)\b",
    r"[\w /.-]{2,50} (?:isn'?t|aren'?t|is not|are not|is never|are never) (?:allowed|permitted|acceptable|an option|welcome|tolerated)\b",
    rf"{_GENERIC}always (?!fail|crash|break|hang|work|show|return|get stuck|time|complain|throw|was|were|so|wonder)\w+(?!.*{_TROUBLE})",
    rf"{_GENERIC}never (?!work|happen|finish|return|end|stop|get called|get here|ran\b|run\b|seen|mind|show|loads?\b|came|got\b)\w",
    rf"{_GENERIC}(?:is|are) for [\w-]+s?\b(?! (?:this|that)\b)(?=[,.]|$)",
    r"(?:when|whenever|if|before|after|once) you (?!'re done|are done|finish|get\b|have\b|can\b|could\b|want|like\b|see\b|look\b|run it|start\b|need me)[a-z]+ (?!<THIS>)(?:[\w'/.-]+ ){0,5}?[\w'/.-]+, (?:please |always |also |just )*(?!(?:i|you|it|the|that|this|we|what|is|does|do you|can|will|there|they)\b)[a-z]+\b",
    r"(?!.*\b(?:this|that|today)\b)(?:please )?(?:always |just )*(?:run|use|add|write|put|keep|ask) [\w `./-]{2,40} before (?:you (?:commit|push|merge|say|call|declare|finish|open|submit|send|deploy|release|touch|change|edit)|saying|committing|pushing|merging|calling|declaring|opening|submitting|releasing|every|each|any)\b",
    r"you (?:must|have to|need to|should|are to|shall) (?!<THIS>)[a-z]+ .*\b(?:before|after|whenever|each|every) (?:you|each|every|any)\b",
    r"(?:every|each) (?:[\w/.-]+ ){1,7}?(?:takes?|returns?|includes?|contains?|accepts?) (?!\d|about|too|over|up to|forever|long|ages|several|one|two|three|the same|an error|null|nothing|\d)\w",
    r"you(?:'re| are) (?:not )?supposed to (?!be here)\w",
    r"we <ADV>(?!only|need|have|are\b|want|see|get|know|think|just|might|will|can|could|should|would|did\b|do\b|don|had|were|was\b|found|got\b|lost|ran\b|saw\b|made|went|came|hope|wonder|believe|guess|agree|understand|miss|lack|still|fixed|both|really|use\b|met|chose|picked|told|said|wrote|built|broke|forgot|talk|spoke|deploy|ship|run\b|host|all\b|already|also|now|currently|call this|look|try|like|love|hate|feel|expect this|say|mean|keep (?:getting|seeing)|end up|ever|never)[a-z]{3,}(?<!ed)(?<!ing) (?!<THIS>|an?\b|to\b|\d|one|two|three|some|in\b|out\b|into|over|up\b|it\b|about|back|here|at\b|on\b|for\b)[a-z][\w-]*",
    r"(?:rule|house rule|policy|convention|standard|hard rule|ground rule)s?(?: of thumb| number one| here)?(?: is)?[:,]",
    r"[\w -]{3,50} (?:must never|must always|must not|should never|should always|may never|can never|shall not|shall never|mustn'?t|has to always)\b",
    r"(?!(?:the|this|that|it|i|you|he|she|they|there|these|those|what|which)\b)[\w-]+s (?:must|should|have to|need to|shall|go|belong|live) (?!be (?:fixed|done|gone|green|working))\w[\w ]*(?:\b(?:in|to|next to|under|with|as|be|have|use|start|end|follow|carry|reference|fit)\b)",
    r"i (?:never|don'?t ever) want (?:to see |you to )?\w",
    r"i (?:want|expect|require|insist on) (?:every|each) (?!this|that|of (?:this|that|the))[\w -]{2,40} to\b",
    importance=CORRECTED,
)
_SENTENCE_RULE = _patterns(
    Kind.RULE,
    r"(?:[\w ,'-]{3,60} )?(?:whenever|wherever|where) (?:possible|you can),? .*|.* (?:whenever|wherever) possible\b",
    r"(?:please )?(?:always )?(?:use|follow|keep to|write|stick with) (?!<THIS>|an? |one )[\w ./()'-]+ (?:in|for|across|throughout) (?:this|our|all|every) (?:\w+ )?(?:repo|repository|project|codebase|package|docs|code|projects|repos)\b",
    r"(?:please )?(?:ask|check with|tell|warn|consult)(?: me| us| with me)?(?: first)? before (?:you )?(?!<THIS>)\w+(?:ing)? (?!<THIS>(?<!anything))\w",
    r"(?:please )?(?:always |only )*(?:use|give|show|tell|write|put|include|keep|list|start|quote|say|mention|avoid|skip|ask)\b(?!.*\b(?:this|that|it)\b).* when(?:ever)? you (?!'re done|are done|finish|get\b|can\b|have\b|see\b)[a-z]+ (?!<THIS>)\w.*",
    r".*\bhands off (?:of )?\w",
    r"(?!.*\b(?:crash|hang|fail|error|break|broke|get an|gets|i (?:click|run|open|start|type|try|press))).*\b(?:whenever|every time|each time|any time|anytime|everytime) (?:you|we|someone|something|there|an?|code|tests?)\b.*",
    r"(?!(?:the|this|that|it|can|could|show|give|tell|make|fix|run|do|next|more|one|two|three|yes|no|thanks)\b)[\w'/-]+(?: [\w'/-]+){0,4}?,? please\b.*\b(?:me|my|i|our|otherwise|because|like every\w+|always|in every\w*)\b",
    r".*\b(?:is|that'?s) how (?:our|my|the) (?:team|company|project|shop|group) (?:does|do|works|likes)\b",
    r".*\b(?:full stop|period|no exceptions?|no excuses|non-negotiable|no ifs(?:,| or) buts|without exception|end of (?:story|discussion))\s*[.!]*$",
    r".*\bunless i (?:say|tell you|ask|explicitly)\b",
    r".*\bneed(?:n'?t)? (?:not )?(?:remind|tell) you (?:again|every time|each time)\b",
    r".*\b(?:as|like) (?:our|the team'?s?) (?:convention|style guide|policy)\b",
    r"(?!(?:can|could|would|will|is|are|do|does|did|what|why|how)\b)(?=.*\b(?:please|you (?:write|make|give|create|generate|send|show|produce|draw|add))\b)(?!(?:please )?(?:fix|add|rename|remove|run|make|change|update|write|show|list|check|find|replace|convert|move|delete|give|tell|create|do|put|set)\b).{3,80}\b(?:for|in|on|with|to) (?:every|all|each|any)\b",
    extent=Extent.WHOLE,
    importance=CORRECTED,
)
_DECISION = _patterns(
    Kind.DECISION,
    r"(?:(?:after|following|since|at|in) [\w' -]{2,40}?,? )?(?:so )?(?:we|the team|the board|the group|management|everyone|i and the team)(?:'ve| have|'re| are|'ll| will|ve)? (?:all |just |finally |now |already |ultimately |recently |jointly |unanimously |then )*(?:decided|agreed|chose|chosen|picked|settled|opted|voted|concluded|committed to|standardi[sz]ed|standardi[sz]ing|landed on|ruled out|rejected|dropped|dropping|ditched|ditching|abandoned|abandoning|adopted|adopting|going with|go with|went with|going for|went for|moving away|moving off|sticking (?:to|with)|staying (?:with|on)|stick with|stay on|killing|retiring|sunsetting|deprecating|scrapping|scrapped|kept|keeping|putting (?:everything|all)|focus(?:s?ing)?(?: only)? on|betting on|investing in|concentrating on)\b(?!.*\b(?:tomorrow|tonight|lunch|meet(?:ing)?|later)\b)",
    r"(?:the|our) plan is to (?:sunset|retire|migrate|drop|move|replace|rewrite|split|switch|deprecate|merge|adopt|open-source|support)\b",
    r"no more [\w -]{3,40}, (?:we|only|just)\b",
    r"(?:the )?(?:decision|verdict|outcome|conclusion|final call|ruling|plan of record)(?: [\w']+){0,4}?(?: is| was|:|,)",
    r"(?:it'?s|it is|it was|it has been) (?:now |been |finally )*(?:decided|settled|agreed)\b",
    r"let'?s (?:go with|use|stick with|keep|standardi[sz]e on|settle on|adopt) (?!<THIS>).*\b(?:because|since|as we|as it|due to)\b",
    r"i(?:'ve| have)? (?:decided|chose|chosen|picked|settled on|opted|went with) .*\b(?:because|since|due to|so that)\b",
    r"we(?: won'?t| will not| are not| aren'?t|'re not|'re no longer| are no longer) (?:be )?(?:going to )?(?:us(?:e|ing)|support(?:ing)?|build(?:ing)?|migrat(?:e|ing)|adopt(?:ing)?|do(?:ing)?|ship(?:ping)?|offer(?:ing)?) .*",
    r"we(?:'ll| will) (?:use|keep|build|stay|go) .*\b(?:because|since|due to|so that)\b",
    r"we use .*\b(?:because|since we|since it|due to)\b",
)
_POINTER = _patterns(
    Kind.POINTER,
    r"(?:for |about )?(?:[\w'/-]+ ){0,6}?<SUBJECT>(?: [\w'/-]+){0,6}? (?:is|are|lives?|sits?|stay|stays|go|goes|gets?|happens?|can be found|end up|belongs?)(?: all| now| always)*(?: tracked| documented| kept| stored| filed| found| hosted| maintained| managed| written up| recorded| reported| logged| posted| published| announced| discussed| collected| described| listed)?(?: over)? (?:in|on|at|under|through|via|into|to) (?:the |our |a |an )?(?:[\w'-]+ ){0,3}?(?:<SYSTEM>|<URL>|(?-i:[A-Z][\w-]+))(?![\w-])",
    r".*\b(?:only )?(?:the |our )?<SYSTEM>\b.*\b(?:counts?|wins|is (?:final|binding|authoritative|the reference|what counts))\b",
    rf"(?:the |our |all )?{_GENERIC}(?:is|are|lives?|sits?|go|goes|gets?|get)(?: all| now| always)*(?: \w+ed| found| kept| held| run| put)?(?: over)? (?:in|on|at|under|through|via|into|to) (?:the |our |a |an )?(?:[\w'-]+ )?(?:<SYSTEM>\b|<URL>)(?!.*{_TROUBLE})",
    r"(?:the |our |all )?(?:[\w'/-]+ ){1,6}?(?:is|are|gets?) (?:all |now |only )*(?:documented|tracked|announced|written up|described|listed|defined) (?:in|on|at|under|with|by|via|through) (?!<THIS>(?! \w+ (?:wiki|handbook|docs|board|channel|tracker|sheet)))\S",
    r"(?:the |our |all )?(?:[\w'/-]+ ){1,6}?(?:is|are|gets?) (?:all |now |only )*(?:stored|kept|hosted|published|maintained|managed|handled|collected|recorded|posted|found|filed) (?:in|on|at|under|with|by|via|through) (?:the |our |a )?(?:[\w'-]+ )?(?:<SYSTEM>\b|<URL>|[\"'“](?=\x1a)|(?-i:[A-Z][a-z]+))",
    r"you(?:'ll| will| can| may)? find .{3,60}\b(?:in|on|at|under) (?:the |our )?(?:[\w'\x1a-]+ ){0,3}?(?:<SYSTEM>\b|<URL>|(?-i:[A-Z]\w+))",
    r"our [\w -]{3,40} (?:is|are) (?:on |in |at |called )?(?:<SYSTEM>\b|<URL>)",
    r"for [\w -]{2,30},? (?:see|check|read|ask in|go to|look (?:at|in)|use|consult|refer to) (?:the |our )?(?:<SYSTEM>\b|<URL>)",
    r"(?:if|when|whenever) (?:you|we) (?:need|want|look for|are looking for|have) .{3,80}?\b(?:<SYSTEM>\b|https?://|#[a-z])",
    r"we (?:track|keep|file|log|document|store|report|record|manage|maintain|collect|post|announce|discuss|publish) (?:all |our |the |every )*(?:[\w'/-]+ ){0,4}?(?:in|on|at|under|with|via|through) (?:the |our |a )?(?:[\w'-]+ ){0,3}?(?:<SYSTEM>|<URL>|(?-i:[A-Z][\w-]+))",
    r"(?:for|about) (?:anything|everything|questions?|all|help|any|issues?|problems?|access)\b.{2,80}?,? (?:ask|ping|see|check|go to|post|look|use|contact|talk to|head to|write to|open)\b",
    r"(?:please )?(?:ask|post|ping|announce|report)(?: it| them| questions| people| someone| bugs| issues)?(?: over)? (?:in|on|at|to) #[a-z]",
    r"(?:see|check|consult|refer to|look (?:at|in|into|it up in)|read|go to|use) (?:the |our )?(?:[\w'-]+ ){0,3}?(?:https?://\S+|(?:<SYSTEM>)\b[\w '/-]*|docs/\S+|[\w-]+ wiki) (?:for|when|if|whenever) (?!this\b)",
    r"(?:[\w'./-]+ ){1,8}(?:is|are|as) (?:the |our |a )?(?:single )?(?:source of truth|canonical|authoritative)\b",
    r"(?:treat|take|consider) [\w./' -]+ as (?:the |our )?(?:source of truth|canonical|authoritative|reference)\b",
    r"(?:the |our )?(?:[\w'-]+ ){0,3}<SUBJECT>(?: [\w'-]+){0,4}?(?: is|:| are|'s) (?:at |in |on |under )?(?:https?://|#[a-z]|docs/)\S+",
    r"the (?:spec|specification|standard|rfc|protocol)(?: \w+){0,4} (?:is|are) \S+",
)
_PROJECT = _patterns(
    Kind.PROJECT,
    r"we(?:'re| are| have|'ve)? <ADV>(?:all )?(?:moved|switched|migrated|changed|ported|upgraded|downgraded|transitioned|replaced|swapped|renamed|raised|lowered|bumped|consolidated|switching|moving|migrating)\b(?! on\b)(?=.*\b(?:to|with|by|from|for|off)\b)",
    r"we <ADV>(?:deploy|host|ship|run|publish|release|build|target|support|serve|store|depend|rely|bill|log)\b(?! (?:into|out|this|that|it|the same)\b) .*\b(?:to|on|for|with|in|at|from|against|via|through)\b",
    r"we <ADV>(?:deploy|ship|release|publish) (?:every|on|each|only|weekly|daily|nightly|twice|once)\b",
    r"we(?:'re| are)? <ADV>(?:use|using|on|target|targeting|support|supporting) (?!<THIS>|an? (?:lot|few|different|similar)|to\b|our own)(?:[\w.+#/-]+ ){1,6}?(?:for|in|as|on|here|with|at|everywhere|across|now|internally)\b",
    r"we <ADV>(?:use|target|support|are on) (?!<THIS>|an? |to\b|our\b)(?-i:[A-Z][\w.+#-]*|[\w-]*\d[\w.]*)",
    r"(?:the |our )?(?:<PART>|(?:[\w-]+ )?<PART>) (?:is|are|runs?|lives?|goes|go|happens?|now)(?: now| all| currently| already| moving)* (?:on|in|with|at|to|through|via|written in|built with|hosted on|behind) (?!fire\b|progress|<THIS>|trouble|a loop|red\b|green\b|line\b)\S",
    r"our (?:[\w'/-]+ ){0,3}?(?:stack|backend|frontend|database|db|ci|target|minimum|python|node|production|prod|staging|deploy|servers?|users|customers|customer base|traffic|region|budget|sla|deadline|release|release cycle|sprint|api|monorepo|default branch|main branch|package manager|test runner|framework|license|codebase|repo|service|product|company)(?: \w+){0,3}? (?:is|are|runs?|uses?|targets?|lives?|has|have|ends?|starts?)\b(?! (?:broken|failing|down|slow|red|green|complain|confus|angry))(?!.*\b(?:again|\d\d\ds?|errors?|crash\w*|timing out)\b)",
    r"(?:this|the) (?:project|repo|repository|service|codebase|app|package|library|product|monorepo|tool)(?: here)? (?:is (?:written in|built (?:with|on)|called|named|deployed|hosted|used by|owned by|maintained by|licensed|an? (?:[\w-]+ ){0,3}(?:service|library|package|app|tool|fork|monorepo|cli|plugin|wrapper|rewrite|clone|port|website|api|bot|game|framework|extension|prototype|product)\b)|uses|targets|runs on|supports|belongs to|stands for)\b(?! (?:crash|mess|the wrong))",
)  # fmt: skip
_CHANGED = _patterns(
    Kind.PROJECT,
    r"(?:about |around |roughly |approximately |nearly |over |up to )?(?:\d[\d.,]*|one|two|three|four|five|ten|twenty|a hundred|a thousand|half a) ?(?:k|m|thousand|million|billion)? (?:daily|monthly|weekly|active|paying|concurrent) (?:active )?(?:users|customers|visitors|requests|orders)\b",
    r"(?:everything|all of it|all (?:jobs|builds|services|repos)) (?:is|are|runs?|lives?|goes?|moved) (?:now |all )?(?:on|in|through|with|to|at)? ?(?!<THIS>|broken|fine|red|green|fail|slow|down|work)\S+.*\b(?:now|since|everywhere)\b",
    r"it'?s (?!<THIS>|an?\b|not|fine|ok|green|red|broken|work|fixed|ready|done)[\w.+#-]+(?: [\w.+#-]+)? (?:now|everywhere now|from now on)\b",
    r"(?!(?:this|that|it|there|what|i|you|we|he|she|they|which)\b)(?:[\w'/.-]+ ){1,5}(?:is|are|has|have|was|were|got|now|just|been) (?:now |been |just |all |finally |renamed |moved |switched |migrated |changed |raised |bumped |lowered )*(?:to|on|in|at|with) (?!<THIS>)\S.*\bnow\b",
    r"(?!(?:this|that|it|there|what|i|you|he|she|they|which)\b)(?:[\w'/.-]+ ){1,6}(?:moved|switched|migrated|changed|went|renamed|raised|bumped|lowered) (?:over |up |down |back )?(?:from \S+(?: \S+){0,3} )?to (?!<THIS>)\S",
    r"(?!(?:this|that|it|there|what|i|you|we|he|she|they|which)\b)(?:[\w'/.-]+ ){1,5}(?:is|are) (?!<THIS>|work|pass|fail|green|red|fixed|broken|ready|done|fine|ok|up|down|back|gone|\w+ (?:for|with) (?:it|this|that))\S+(?: \S+){0,3} now\b",
    r"(?:[\w'/.-]+ ){1,5}(?:is|are) now (?!<THIS>|work|pass|fail|green|red|fixed|broken|ready|done|fine|ok)\w",
)


_PATTERNS = tuple(
    chain(
        _AGENT,
        _POINTER,
        _DECISION,
        _PREFERENCE,
        _SENTENCE_PREFERENCE[:1],
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
    clause_end=re.compile(
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
        r"\b(?:from now on(?:wards)?|from (?:here|today|this point|now) (?:on(?:wards?)?|forward)|going forward|moving forward|henceforth|in (?:the )?future|for the future|as of (?:now|today)|starting (?:now|today)|always|never|whenever|permanently|for good|every time|at all times|by default|in general|generally|as a rule|across the board|from this day|any ?more|ever|until further notice|unless i (?:say|tell|ask)|(?:in|for) this (?:project|repo|codebase|repository))\b"
    ),
    firm=regex(
        r"\b(?:from now on(?:wards)?|from (?:here|today|this point|now) (?:on(?:wards?)?|forward)|going forward|moving forward|henceforth|in future|in the future|for the future|starting (?:now|today)|permanently|(?:every|each) (?:single )?time|at all times|until further notice|unless i (?:say|tell|ask)|for good|that'?s how i (?:learn|work|think|like|read|want|do)|company-wide|team-wide|project-wide|repo-wide|across the (?:company|codebase|repo|board)|in everything (?:we|i|you)\b|without (?:my (?:ok|okay|approval|permission)|asking(?: me)?)|that'?s (?:the|our|a) (?:rule|policy|convention|standard|house rule|deal))\b|, (?:please )?always(?: please)?\s*[.!]*$"
    ),
    everywhere=regex(
        r"\b(?:(?:all|any|every|each)(?: of)?(?: my| our| the)? (?:projects?|repos|repositor(?:y|ies)|codebases?)|everywhere i work|globally|in general)\b"
    ),
    third_person=regex(
        r"(?:(?:my|our|his|her|their|the|a|one|some|most) (?:[\w-]+ )?(?:colleagues?|co-?workers?|friends?|boss|wife|husband|partner|kids?|son|daughter|brother|sister|mother|father|mum|mom|dad|roommate|flatmate|neighbou?rs?|manager|teammates?|customers?|users|clients|people|developers|vendor|author|article|book|docs|readme|manual|teacher|professor)|he|she|they|someone|somebody|everyone|everybody|people|most people|customers|users|vendors?|anyone|nobody)\b(?! (?:has|have) to)(?!.*\b(?:me|i)\b)"
    ),
    question=regex(
        r".*\?[\"'”’)]*\s*$|(?!what .{0,30}:)(?:what(?:'s)?|why|who|where|how|which|is|are|does|did|can|could|would|should|any idea)\b (?!of\b)|do (?:you|we|i|they|those|these)\b|i(?:'m| am|'ve been| was)? (?:always |just |often |sometimes )?(?:wonder(?:ing)?|curious|not sure (?:if|whether|why|how|what))\b|remember (?:when|that time|the time|how we)\b|.*\b(?:do you know|any ideas?|right|correct)\s*\?"
    ),
    own_question=regex(
        r"(?:so |and |but )?(?:what(?:'s)?|how|why|where|which|who|when|can|could|is|are|does|do|did|any)\b(?: \S+){2,}\s*$"
    ),
    told=regex(
        r"(?:i|i'm|i've|im|my|we|we're|our)\b(?! (?:wonder|wondering|know|think|guess|see|get|was|thought|tried|ran|changed|got)\b)"
    ),
    standing_question=regex(
        r"(?:(?:oh|ok|also|hey|and|btw|by the way|please),? )*(?:can|could|would|will|may|might|shall|do) (?:you|we|i)\b(?!(?: always)? (?:explain|tell|see|hear|access|remember|think|know|check|why))(?=.*\b(?:from now on|going forward|in (?:the )?future|for the future|always|every time|whenever|permanently|stop|never|by default)\b)(?=.*\b(?:please|me|my|from now on|going forward|in (?:the )?future|stop)\b)|(?!(?:what|why|how|who|where|when|which|is|are|was|were|do|does|did|can|could|would|should|will|has|have)\b).*, (?:ok(?:ay)?|alright|all right|please|got it|deal|understood|fine|will you|would you)\s*\?"
    ),
    hypothetical=regex(
        r"\b(?:suppose|supposing|imagine|what if|let'?s (?:say|assume|pretend)|(?<!you can )(?<!you may )(?<!can )assum(?:e|ing) (?:that )?(?:we|you|he|she|they|the|a|an|my|our|it)\b|pretend|hypothetical(?:ly)?|for the sake of argument|if (?:i|we|you) (?:were|was|had|used|moved|switched|chose|went)|if my (?:name|boss)|were to|i wonder|wondering (?:if|whether)|i was going to|thinking (?:of|about)|(?:we|i)(?:'re| are|'m| am) considering|considering (?:whether|to)|should (?:we|i)\b|(?:we|i) (?:might|may|could) |might (?:want|switch|move|use)|maybe|perhaps|probably (?:should|will|use)|not sure (?:if|whether)|i guess|someday|one day|at some point|eventually|would it be|i thought|i used to think|for example if|say (?:i|we|you) (?:have|had|want|use)|i wish|haven'?t decided|undecided|either .* or|not true|not really a\b.*\bjoke)\b"
    ),
    passing=regex(
        r"\b(?:this time|just this once|this once|only this once|for once|for now|(?<!starting )(?<!as of )(?<!from )today|tonight|right now|at the moment|for the moment|just now|temporar(?:y|ily)|for (?:this|that) (?:one|pr|task|file|commit|branch|push|change|fix|release|run|test|function|script|demo|ticket|session|chat|question|request|part|step|call|sprint|exercise)|in (?:this|that) (?:pr|commit|function|file|branch|test|script|case|method|class|module|chat|task|ticket)|on this (?:branch|one|pr)|until (?:tomorrow|monday|friday|the|we|i|it|next)|till (?:tomorrow|monday|friday)|tomorrow|this (?:week|morning|afternoon|evening|month|sprint|weekend)|yet|one-off|for the time being|in a (?:minute|moment|second|sec)|so far|as an exception|exceptionally|while i|i'm (?:getting|grabbing|having|heading|going)|be right back|brb)\b"
    ),
    joke=regex(
        r"(?:just |only |i'?m |i am |haha,? |lol,? |obviously )*(?:kidding|joking|jk|j/k|messing with you|pulling your leg|sarcasm)\b|.*(?:/s$|🤣|😂|😜|😝)|(?:ha(?:ha)+|lol|lmao|rofl)\b,? (?:yeah|sure|right|yes|of course)|.*\bas if\b\s*$|no i'?m not(?: really)?\b"
    ),
    retraction=regex(
        r"(?:.*\b(?:but|no|nah|actually|hmm|oh|ok|well),? )?(?:(?:oh |no,? |nah,? |actually,? |hmm,? )*(?:forget it|never ?mind|nvm|scratch that|ignore (?:that|me|what i said)|disregard(?: that)?|doesn'?t matter|strike that|not true|that was a joke|i take (?:that|it) back))\b"
    ),
    material=regex(
        r"(?:.*\b)?(?:translate|proof-?read|polish|rephrase|reword|re-?write|paraphrase|summari[sz]e|improve|correct|fix the (?:grammar|spelling|wording)|spell-?check|shorten|edit|format|convert|critique|parse|classify|annotate|explain|review|comment on|turn|what do you (?:make of|think of)|is (?:this|that) (?:ok|right|good)|check|put|add|save|paste|store|here'?s|here is|here are|attaching|attached|the (?:email|mail|message|text|prompt|note|ticket|readme|docs?|log|output|error|comment) (?:says|reads|is)|says|said|wrote|writes|reads|got (?:this|the following)|look at this|example|output)\b"
    ),
    fiction=regex(
        r"(?:.*\b)?(?:(?:write|draft|continue|make up|invent|create|generate|compose|improve|give me|need|finish|polish|produce|act out|come up with|help me with|role-?play)\b.*\b(?:stor(?:y|ies)|poems?|dialog(?:ue)?s?|scenes?|personas?|characters?|novels?|lyrics|screenplay|play|fairy tale|cover letter|bio|biography|profile text|testimonials?|user stor(?:y|ies)|monologue|system prompt|npc|fan ?fic(?:tion)?|role-?play|speech|limerick|sitcom|e-?mails?|letters?|messages? to|mock interview|quiz|lorem ipsum|dummy (?:text|data)|fake (?:users?|profiles?)|tweets?|blog ?post|advert|slogan)\b|role-?play|pretend (?:to be|you|that you|i)|let'?s play|you are playing|in the voice of|first person\b)"
    ),
    heading=regex(
        r".*\b(?:rules?|conventions?|from now on|going forward|preferences?|about (?:me|myself)|remember|keep in mind|guidelines?|always|never|things to know|house style|standards?|notes for you|ground rules|how i (?:work|like)|please follow|we use|our stack|decisions?|where things (?:are|live))\b"
    ),
    request=regex(
        r"(?:(?:so|and|then|now|please|also|next|but|ok|first|just|anyway|meanwhile|can you|could you|would you|will you|let'?s|go ahead and|i need you to|i want you to|i'd like you to|help me(?: to)?|try to) ?,? ?)*(?:fix|find|show|tell|explain|implement|refactor|reformat|rename|port|write|draft|create|generate|summari[sz]e|look|check|have a look|take a look|read|open|run|rerun|build|compile|install|debug|review|delete|remove|redo|update|change|convert|translate|split|merge|push|pull|commit|deploy|list|compare|plot|draw|sort|print|search|grep|count|move|migrate|set|add|make|give|put|apply|start|continue|proceed|test|try|help|describe|analy[sz]e|figure out|clean up|document|bump|upgrade|rebase|squash|revert|extract|inline|replace|export|import|parse|optimi[sz]e|profile|investigate|design|plan|propose|suggest|answer|regenerate|format|lint|do)\b|(?:can|could|would|will) you\b|what\b|why\b|how\b|where\b|which\b|who\b|is (?:there|it|this)\b|does\b|do (?:you|we)\b"
    ),
    task=regex(
        r"(?:please |so |and |then |now |just )*(?:add|write|make|create|implement|put|insert|build|set up|generate|update|fix) (?:an?|the|one|some|it|this|that)\b"
    ),
    preface=regex(
        r"(?:(?:oh|ok|hey|hi|hello|thanks?|thx|good news|btw|fyi|anyway|update|correction|sorry|by the way|yes|no|actually|scratch that|talked to the team|first time .*|ok sounds .*|fine|i think|i mean|you know|please)[ ,!]*)+$"
    ),
    tail=regex(
        r"(?:[\s,;:]*(?:please|pls|plz|thanks?(?: you| a lot)?|thx|btw|by the way|lol|haha|ok(?:ay)?|right|though|tho|fyi|from now on(?:wards)?|going forward|in (?:the )?future|anyway|ugh|(?<=\s)[:;]-?[)(DP]|:\)|;\)|[.!,;:?…]))+[\s)]*$|\s*\)+$(?<=[^(]\))"
    ),
    about_answers=regex(
        r"\b(?:answers?|repl(?:y|ies)|respond|responses?|explain|explanations?|talk to me|speak|tone|emojis?|verbose|concise|summar(?:y|ies)|recaps?|bullet points?|apologi[sz]\w*|call me|address me|jargon|hand-?holding|in <LANGUAGE>)\b(?!.*\b(?:api|endpoint|http|json|server|code|error)\b)"
    ),
    change=regex(
        r"\b(?:now|no longer|any ?more|switched|moved|migrated|changed|replaced|swapped|scratch that|go back|went back|back to|instead|correction|renamed|promoted|used to|as of|not .* but|update|these days|voted|raised|lowered|bumped|upgraded|dropp(?:ed|ing)|ditched|left|joined|became|standardi[sz](?:ed|ing))\b|^(?:no|actually|wait|sorry|correction)\b"
    ),
    addition=regex(r"\b(?:also|too|as well|in addition|additionally|on top of|besides|plus|another)\b"),
    old_value=(
        regex(r"\bfrom (?P<old>(?-i:[A-Z0-9])[\w.+#-]*(?: (?-i:[A-Z])[\w.+#-]*)*|[\w.+#-]+) to\b"),
        regex(
            r"\b(?:no longer|don'?t|do not|aren'?t|isn'?t|not)(?: \w+){0,2}? (?:on|use|using|run|in|with|at|a|an|the)? ?(?P<old>[\w.+#-]+)(?: \w+){0,2} (?:any ?more)\b"
        ),
        regex(
            r"\bno longer (?:\w+ing |in |on |at |with |use |work (?:at|for) |a |an |the )?(?P<old>[\w.+#-]+(?: [\w.+#-]+)?)"
        ),
        regex(
            r"\b(?:instead of|rather than|replac(?:ed|es|ing)|dropp(?:ed|ing)|ditch(?:ed|ing)|moved (?:off|away from)|moving (?:off|away from)|got rid of|left|retired|scrapped|abandoned) (?:the |our )?(?P<old>[\w.+#-]+)"
        ),
        regex(r"\b(?P<old>[\w.+#-]+) (?:is|was) (?:gone|dead|history|replaced|retired|out)\b"),
        regex(r"\b(?:swapped|traded|exchanged|replaced|left) (?:out )?(?P<old>[\w.+#-]+) (?:for|with)\b"),
        regex(r",? not (?P<old>[\w.+#-]+)(?: any ?more)?\s*$"),
    ),
    slots=(
        (
            "user name",
            regex(
                r"the user(?:'s (?:full |first |real )?name)? is (?:called )?(?-i:[A-Z][\w'’.-]+(?: [A-Z][\w'’.-]+){0,3})(?: here| from| with| at| and| \(|$)|\bcall the user\b|the user is called|the user goes by"
            ),
        ),
        (
            "user role",
            regex(
                r"the user (?:is|has (?:been|got) promoted|got promoted|became|works|does)\b.*\b(?:<ROLE>|<DOES>|promoted)\b"
            ),
        ),
        (
            "user place",
            regex(
                r"the user (?:is |has )?(?:\w+ )?(?:lives?|based|located|living|moved to|relocated to|is in|is from|in|resides?) (?:in|to|near|out of)? ?(?-i:[A-Z][a-z]{2,})"
            ),
        ),
        (
            "user employer",
            regex(
                r"the user (?:now |currently |has )*(?:works? (?:at|for)|joined|left|started at|changed jobs)\b|employer|the company the user"
            ),
        ),
        (
            "operating system",
            regex(
                r"the user .*\b(?:mac ?os|windows|linux|ubuntu|debian|fedora|arch|nixos|mac(?:book)?|wsl2?)\b|\boperating system\b"
            ),
        ),
        (
            "editor",
            regex(
                r"the user .*\b(?:vim|neovim|nvim|emacs|helix|vs ?code|vscode|intellij|pycharm|goland|webstorm|sublime|zed)\b|\beditor is\b"
            ),
        ),
        ("shell", regex(r"the user .*\b(?:fish|zsh|bash|powershell|nushell)\b|\bshell is\b")),
        ("time zone", regex(r"time ?zone|\bUTC[+-]|\bCET\b|\bPST\b|\bEST\b")),
        (
            "agent name",
            regex(
                r"the assistant(?:'s (?:new )?name| is (?:now )?(?:called|named))|\bcall the assistant\b|call(?:s)? themselves|answer to|go by"
            ),
        ),
        ("agent role", regex(r"the assistant(?:'s (?:role|job)| is)\b")),
        (
            "answer language",
            regex(
                r"\b(?:answer|reply|respond|write|speak|talk|explain|go back|switch(?: back)?|back|chat|communicate)\w*\b.*\b<LANGUAGE>\b"
            ),
        ),
        (
            "indentation",
            regex(r"\b(?:indent\w*|tabs?|\w+[- ]spaces?)\b(?=.*(?:indent|spaces|tabs|files?|code|js|python|go\b)|$)"),
        ),
        (
            "continuous integration",
            regex(r"\b(?:ci|jenkins|buildkite|circleci|github actions|gitlab ci|travis|teamcity|drone)\b"),
        ),
        ("deploy target", regex(r"\b(?:deploy\w*|hosting|hosted|host)\b")),
        ("package manager", regex(r"\b(?:npm|yarn|pnpm|bun|pip|poetry|pipenv|uv|conda|package manager)\b")),
        (
            "database",
            regex(r"\b(?:postgres(?:ql)?|mysql|mariadb|sqlite|mongo(?:db)?|oracle|cockroach(?:db)?|database)\b"),
        ),
        (
            "bug tracker",
            regex(
                r"\b(?:jira|linear|github issues|youtrack|redmine|bugzilla|asana|trello)\b|\b(?:bugs|tickets|issues) .*tracked\b"
            ),
        ),
        ("test framework", regex(r"\b(?:pytest|unittest|jest|vitest|mocha|test (?:runner|framework))\b")),
        ("coverage", regex(r"\bcoverage\b")),
        ("line length", regex(r"\bline (?:length|width|limit)|\d+ (?:columns|characters)\b")),
    ),
    reason=regex(
        r",?\s+(?:because|since(?! \d)|as (?:it|we|the|they|our)|due to|so that|given that|on account of|the reason (?:is|being)|for the reason that)\s+|:\s+(?=we (?:got|were|had)|it |our )"
    ),
    first_person=regex(r"\x00"),
    marker_only=regex(
        r"(?:every (?:single )?time|always|that'?s (?:the|our|a) (?:rule|deal|policy|convention|law)|here|now|i mean it|ever|no exceptions?|without exception|at all times|from now on|please|period|full stop|and i mean it|in every project|everywhere|[ ,.!])+"
    ),
    continuation=regex(r"(?:so |and |just |please )*(?:don'?t|do not|no\b|not\b|only\b|instead|fix the)"),
    anaphoric=regex(
        r"(?:always|never|please|just|do|don'?t|from now on|keep|use|say|make|go|stay|it|like|ever|again| )*(?:that|this|it|so|them|like (?:this|that)|that way|this way|doing (?:that|this|it)|always|never|the same)[ .!]*(?:again|way|please|from now on)?"
    ),
    forget=regex(
        r"(?:.*?\b(?:please|can (?:you|we)|could (?:you|we)|no|ok|hey|actually|and|but|oh|lol|wait|also|just|pls|i want you to|i'd like you to|you can|you should|let'?s)?,? ?)??(?<!don't )(?<!dont )(?<!not )\b(?:(?:forget|un-?learn|scrub|erase|wipe|remove|delete|drop|discard|strike)\b(?: about)? (?P<what>(?:that|this|it|what i (?:just )?(?:said|told you|wrote)(?: about [\w' -]{2,40})?|everything i said|the last (?:thing|one|bit)|my \w[\w' -]{1,40}|(?:the|that|this) [\w' -]{1,40}?(?= (?:bit|part|thing|fact|rule|preference|note|from)\b)|(?:the|that|this) (?:\w+ ){0,3}(?:bit|part|thing|fact|rule|preference|note|one)|i (?:ever )?(?:said|mentioned|told you)[\w' -]*|about [\w' -]{2,40}))|(?:(?:don'?t|do not|please don'?t|never|no need to) (?:remember|memori[sz]e|save|store|keep|record|note(?: down)?|write down|retain|put)) (?P<what2>(?:that|this|it|any of (?:that|this)|what i (?:just )?said|my \w[\w' -]{1,40}|the [\w' -]{1,40}|(?:that|this) (?:one|bit|part)))(?! (?:in|to|on|under|at|as|file|button|with|for)\b(?! (?:your |any )?(?:memory|notes|mind|record|file))))"
    ),
    nameless=regex(
        r"(?:that|this|it|any of (?:that|this)|what i (?:just )?(?:said|wrote|told you)|everything i said|the last (?:thing|one|bit)|(?:that|this) (?:one|bit|part|thing)|i (?:ever )?(?:said|mentioned|told you))$"
    ),
    aliases=(
        (regex(r".*\b(?:company|employer|work)\b"), regex(r"works? (?:at|for)|employer|company| at (?-i:[A-Z])")),
        (regex(r".*\b(?:name)\b"), regex(r"name|called|the user is (?-i:[A-Z])|call ")),
        (
            regex(r".*\b(?:city|location|address|where i live)\b"),
            regex(r"lives?|based|located|the user is (?:in|from)"),
        ),
        (regex(r".*\b(?:job|role|title|profession)\b"), regex(r"the user (?:is|works|does)\b.*<ROLE>")),
    ),
    render=render,
    weigh=weigh,
    kind_of=kind_of,
)
