"""English words: the signs that a sentence is weighed by, and what a lasting one is about."""

import re
from itertools import pairwise

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.caches import kept_for_a_run
from memoryd.worker.agents.rules.patterns import Kind

_TOKEN = lazy(
    r"https?://\S+|#[a-z][\w-]+|[\w~-]*[/\\][\w./\\*-]+|\w[\w-]*\.[a-z]\w{0,4}\b(?:\(\))?|\w+\(\)|\w+_\w+"
    r"|\d[\w.,:%]*|[a-z]+(?:['-][a-z]+)*|\x1a+|[?!,.;:()]",
    re.IGNORECASE,
)
_ENDINGS = ("ing", "ed", "es", "s", "ly")
_SYMBOL = lazy(r"[/\\_]|\.\w|\(\)")
_SIZES, _LONG = ((3, "1-3"), (7, "4-7"), (15, "8-15"), (25, "16-25")), "26-"  #: most words of a size

#: class -> the phrases that tell what a statement is about
CUES = {
    "firm": """
        from now on | from here on | from this point | from today | from here on out | going forward | moving
        forward | henceforth | in future | in the future | for the future | starting now | starting today |
        permanently | for good | until further notice | from here on in | lasting | standing order | for keeps |
        for future ones | for the next ones | every time after | next time and | from now | from this moment |
        as of now | as of today | today onward | from then on | here on out | next time""",
    "always": """
        always | never | ever | every time | each time | any time | anytime | whenever | every single time | at
        all times | without exception | no exceptions | no exception | without fail | no matter what | under any
        circumstances | under no circumstances | in any case | every day of the week | all the time | wherever |
        unconditionally | invariably""",
    "policy": """
        policy | convention | conventions | rule | rules | house rules | house style | standard | standards |
        guideline | guidelines | the way we | how we do | how we | we agreed | agreed | mandatory | forbidden |
        banned | off limits | off-limits | off the table | not allowed | aren't allowed | isn't allowed | not
        permitted | prohibited | required | requirement | non-negotiable | taboo | verboten | sacred | read-only
        | no-go | our style | norm | protocol | law | deal breaker | dealbreaker | hard no""",
    "prefer": """
        prefer | i'd rather | rather than | over | instead of | i favor | i favour | preference | preferred |
        favourite | favorite | partial to | fan of | big fan | fond of | keen on | used to | sooner | a sucker
        for | i'm big on | swear by | swear off | live by | go for | gravitate | lean towards | click better |
        easier for me | my go-to | go-to | my taste | i'm more of | more of a""",
    "like": """
        i like | i love | i enjoy | i appreciate | i value | i really like | i dig | works best | work best |
        works better | work better | click best | helps me | help me | help a lot | helps a lot | i think in | i
        learn | for me | with me | i need | i want | what i need | suits me | makes me happy | happiest""",
    "hate": """
        hate | can't stand | cannot stand | dislike | annoys me | annoying | bugs me | drives me | irritates |
        pet peeve | peeve | i loathe | i detest | allergic | waste of my time | gives me | make me | makes me |
        spare me | my nerves | bothers me | grating | useless to me | don't help me | dont help me | sick of |
        tired of | fed up | enough with | can't read | struggle | hard for me | i find | unreadable |
        distracting | headache | i can do without | i don't care for | not a fan | can't deal | turn me off |
        puts me off""",
    "stop": """
        stop | quit | please stop | no more | no longer | enough | any more | anymore | lay off | cut out | cut
        the | skip the | drop the | lose the | spare | refrain from | avoid | keep away | stay away | hands off
        | stay out | keep your hands | steer clear | leave out | do without | less | fewer""",
    "dont": """
        don't | dont | do not | must not | mustn't | shouldn't | should not | may not | cannot | can't | won't |
        no need | not be""",
    "must": """
        must | should | shall | has to | have to | needs to | need to | ought to | are to | is to | supposed to
        | expected to | gets | get | goes | go | belongs | belong | needs | stays | stay | lives | live""",
    "before": """
        before | after | without | unless | until | when you | if you | when in doubt | if in doubt | if unsure
        | if something | whenever you | when i ask | when i say | once you | as soon as""",
    "deploy": """
        deploy | deploys | deployed | runs on | hosted | hosted on | ships | ship | we use | uses | built with |
        written in | we're on | is on | live on | production | prod | staging | database | package manager | we
        run | we target | target | targets | backend | stack | monorepo | release | releases | licence | license
        | licensed | budget | deadline | due | due on""",
    "decide": """
        decided | we decided | we chose | settled on | went with | going with | we picked | opted | we're going
        | ruled out | rejected | agreed on | agreed to | committed to | landed on | verdict | decision | it is
        then | final call | signed off | concluded""",
    "moved": """
        switched | moved | migrated | replaced | swapped | renamed | changed | retired | scrapped | dropped |
        ditched | upgraded | shut off | shut down | turned off | bumped | raised | lowered | these days | now |
        as of | nowadays | promoted | joined | quit my | left | got a new | took over | is gone | are gone | is
        dead | no longer | correction | scratch that | i lied | changed my mind | on reflection | turns out |
        update""",
    "where": """
        tracked | documented | lives in | live in | kept in | stored in | found in | can be found | you'll find
        | filed | the place to | is where | posted | reported | channel | dashboard | board | wiki | tracker |
        runbook | runbooks | tickets | ticket | docs | spec | space | folder | handbook | jira | linear | notion
        | confluence | slack | discord | figma | grafana | kibana | sentry | datadog | pagerduty | asana |
        trello | google drive | sharepoint | airtable | source of truth | canonical | look in | go to | ask in |
        ping | talk to | contact""",
    "im": """
        i'm | i am | im | i'm a | i'm an | i am a | as a | as an | as someone | being | my name | name's | call
        me | i go by | my pronouns | pronouns | here""",
    "ihab": """
        i work | i live | i use | i run | i do | i speak | i write | i teach | i study | i maintain | i lead | i
        manage | i own | i have | i've got | i come from | i know | i read | i code | i build | i type | i
        handle | i look after | i'm on | i'm using | i'm based | based in | i'm in | i'm from | i can't | i
        don't | i never | i only | i've been | i've never | i've worked | i've used | new to | years of | for
        years | years | by trade | by training | for a living | day job | i spend | i mostly | mostly""",
    "role": """
        developer | dev | engineer | programmer | scientist | student | undergrad | postdoc | professor |
        lecturer | teacher | tutor | researcher | nurse | doctor | physician | surgeon | vet | lawyer |
        accountant | designer | manager | lead | head | analyst | architect | administrator | admin | sysadmin |
        consultant | contractor | freelancer | freelance | founder | owner | director | intern | trainee |
        apprentice | junior | senior | principal | maintainer | contributor | writer | editor | journalist |
        translator | librarian | musician | artist | tester | qa | sre | dba | cto | beginner | newbie | novice
        | amateur | retired | hobbyist | backend | frontend | firmware | embedded | full-stack | speaker |
        native | user | person | volunteer | technician | operator | biologist | chemist | physicist |
        statistician | economist | linguist | historian | mechanic | pilot | chef | farmer | dyslexic | colour-
        blind | color-blind | colourblind | colorblind | blind | deaf | adhd | autistic | left-handed | timezone
        | time zone | utc | phd | thesis""",
    "yourole": """
        your name | your name is | your role | your job | you're called | i'll call you | call you | you are my
        | you're my | you're our | you are our | act as | call yourself | rename you | you go by | answer to |
        your nickname | you are now | think of yourself""",
    "talk": """
        answer | answers | reply | replies | respond | responses | response | explain | explaining |
        explanations | summary | summaries | recap | recaps | emoji | emojis | bullet | bullets | bullet points
        | prose | tone | jargon | preamble | apologies | apologizing | apologising | sugar-coat | essay | essays
        | lecture | verbose | concise | terse | short | brief | blunt | plain | spelling | english | metric |
        analogies | examples | example | code blocks | snippets | diffs | diff | commit messages | commits |
        comments | comment | docstrings | you give me | show me | tell me | ask me | suggesting | suggest |
        reformatting""",
}


def _index() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, phrases in CUES.items():
        for phrase in phrases.split("|"):
            first, *rest = phrase.split()
            found.setdefault(first, []).append((tuple(rest), name))
    return found


_PHRASES = _index()


def grams(masked: str) -> frozenset[str]:
    """Return the stems of a sentence's words, their pairs, and `^...` what opens it.

    Q is a quotation, F a symbol, U an address, C a channel, 9 a number.
    """
    words = _plain(masked)
    size = next((name for most, name in _SIZES if len(words) <= most), _LONG)
    pairs = {" ".join(pair) for pair in pairwise(words)}
    opening = {sign for gram in openers(masked) for sign in (f"^{gram}", f"^{gram}~{size}")}
    return frozenset(pairs | set(map(_stem, words)) | opening | {f"~{size}"})


def openers(masked: str) -> frozenset[str]:
    """Return the first word of a sentence, and the first two."""
    words = _plain(masked)
    return frozenset((" ".join(words[:1]), " ".join(words[:2])))


@kept_for_a_run
def _plain(masked: str) -> tuple[str, ...]:
    return tuple(map(_shape_of, _TOKEN.findall(masked.replace("’", "'"))))


def _shape_of(token: str) -> str:
    if token[0] == "\x1a":
        return "Q"
    if token.startswith("http"):
        return "U"
    if token[0] == "#":
        return "C"
    if len(token) > 1 and _SYMBOL.search(token):
        return "F"
    return "9" if token[0].isdigit() else token.lower().replace("don't", "dont")


def _stem(word: str) -> str:
    return next((word[: -len(end)] for end in _ENDINGS if len(word) > len(end) + 3 and word.endswith(end)), word)


def kind_of(masked: str) -> Kind:
    """Return what a lasting statement that no pattern knows is most likely about: it decides the file."""
    words = _TOKEN.findall(masked.replace("’", "'").lower())
    cues = {name for n in range(len(words)) for name in _classes(words, n)}
    if "yourole" in cues:
        return Kind.AGENT
    if "decide" in cues:
        return Kind.DECISION
    if ("where" in cues or _names_address(words)) and not cues & {"dont", "im", "always"}:
        return Kind.POINTER
    if cues & {"prefer", "like", "hate", "talk"}:
        return Kind.PREFERENCE
    if cues & {"always", "firm", "dont", "must", "stop", "policy", "before"} or "no" in words:
        return Kind.RULE
    if cues & {"im", "ihab", "role"} or words[:1] == ["my"]:
        return Kind.PERSON
    return Kind.PROJECT if cues & {"deploy", "moved"} or words[:1] == ["we"] else Kind.RULE


def _classes(words: list[str], n: int) -> list[str]:
    known = _PHRASES.get(words[n], ())
    return [name for rest, name in known if tuple(words[n + 1 : n + 1 + len(rest)]) == rest]


def _names_address(words: list[str]) -> bool:
    return any(word.startswith("http") or (word[0] == "#" and len(word) > 1) for word in words)
