"""English cues: what marks a sentence as a lasting statement of the user, and what as talk of the moment.

A sentence is weighed as a whole: each class of cues counts once, and its closed-class words and its shape count too,
so that an unseen phrasing is still judged by its grammar. No cue knows a topic. Linear: a token costs a look-up.
"""

import re
from functools import lru_cache
from itertools import pairwise

from memoryd.worker.agents.rules.english_weights import WEIGHTS
from memoryd.worker.agents.rules.patterns import Kind, lazy

_TOKEN = lazy(
    r"https?://\S+|#[a-z][\w-]+|[\w~-]*[/\\][\w./\\*-]+|\w[\w-]*\.[a-z]\w{0,4}\b(?:\(\))?|\w+\(\)|\w+_\w+"
    r"|\d[\w.,:%]*|[a-z]+(?:['-][a-z]+)*|\x1a+|[?!,.;:()]",
    re.IGNORECASE,
)
_SYMBOL = lazy(r"[/\\_]|\.\w|\(\)")
_FIRST_PERSON = ("i", "i'm", "i've", "i'd", "i'll")

#: class -> phrases; a class counts once, and once more when it opens the sentence
CUES = {
    "firm": """
        from now on | from here on | from this point | from today | from here on out | going forward |
        moving forward | henceforth | in future | in the future | for the future | starting now | starting
        today | permanently | for good | until further notice | from here on in | lasting | standing order |
        for keeps | for future ones | for the next ones | every time after | next time and | from now | from
        this moment | as of now | as of today | today onward | from then on | here on out | next time""",
    "always": """
        always | never | ever | every time | each time | any time | anytime | whenever | every single time |
        at all times | without exception | no exceptions | no exception | without fail | no matter what |
        under any circumstances | under no circumstances | in any case | every day of the week | all the
        time | wherever | unconditionally | invariably""",
    "default": """
        by default | default to | as a default | as a rule | in general | generally | as a matter of course
        | as a matter of principle | on principle | out of habit | habit | habitually | usually | typically
        | normally | mostly | unless i | unless told | unless asked | unless otherwise | rule of thumb |
        tend to | across the board | day to day | out of principle | as standard | routinely | daily""",
    "policy": """
        policy | convention | conventions | rule | rules | house rules | house style | standard | standards
        | guideline | guidelines | the way we | how we do | how we | we agreed | agreed | mandatory |
        forbidden | banned | off limits | off-limits | off the table | not allowed | aren't allowed | isn't
        allowed | not permitted | prohibited | required | requirement | non-negotiable | taboo | verboten |
        sacred | read-only | no-go | our style | norm | protocol | law | deal breaker | dealbreaker | hard
        no""",
    "end": """
        full stop | period | end of story | end of discussion | no excuses | no ifs | i mean it""",
    "remember": """
        remember | remember that | keep in mind | bear in mind | make a note | take note | note that | note
        to self | for the record | for your notes | for your memory | for future reference | save this |
        store this | memorize | memorise | don't forget | jot down | so you know | just so you know | for
        context | for reference | as background | for background | fyi | worth knowing | you should know |
        heads up | heads-up | for what it's worth | full disclosure | psa | about me""",
    "prefer": """
        prefer | i'd rather | rather than | over | instead of | i favor | i favour | preference | preferred
        | favourite | favorite | partial to | fan of | big fan | fond of | keen on | used to | sooner | a
        sucker for | i'm big on | swear by | swear off | live by | go for | gravitate | lean towards | click
        better | easier for me | my go-to | go-to | my taste | i'm more of | more of a""",
    "like": """
        i like | i love | i enjoy | i appreciate | i value | i really like | i dig | works best | work best
        | works better | work better | click best | helps me | help me | help a lot | helps a lot | i think
        in | i learn | for me | with me | i need | i want | what i need | suits me | makes me happy |
        happiest""",
    "hate": """
        hate | can't stand | cannot stand | dislike | annoys me | annoying | bugs me | drives me | irritates
        | pet peeve | peeve | i loathe | i detest | allergic | waste of my time | gives me | make me | makes
        me | spare me | my nerves | bothers me | grating | useless to me | don't help me | dont help me |
        sick of | tired of | fed up | enough with | can't read | struggle | hard for me | i find |
        unreadable | distracting | headache | i can do without | i don't care for | not a fan | can't deal |
        turn me off | puts me off""",
    "stop": """
        stop | quit | please stop | no more | no longer | enough | any more | anymore | lay off | cut out |
        cut the | skip the | drop the | lose the | spare | refrain from | avoid | keep away | stay away |
        hands off | stay out | keep your hands | steer clear | leave out | do without | less | fewer""",
    "instead": """
        instead | instead of | rather than | rather | not the other way | in place of | in favour of | in
        favor of""",
    "keep": """
        keep it | keep your | keep them | keep things | keep answers | keep the | stick to | stick with | go
        easy | keep to | be blunt | be brief | be terse | be direct | be honest | be concise""",
    "dont": """
        don't | dont | do not | must not | mustn't | shouldn't | should not | may not | cannot | can't |
        won't | no need | not be""",
    "must": """
        must | should | shall | has to | have to | needs to | need to | ought to | are to | is to | supposed
        to | expected to | gets | get | goes | go | belongs | belong | needs | stays | stay | lives | live""",
    "quant": """
        every | each | any | anything | everything | all | whatever | none | nothing | nobody touches | no
        one | both | only""",
    "before": """
        before | after | without | unless | until | when you | if you | when in doubt | if in doubt | if
        unsure | if something | whenever you | when i ask | when i say | once you | as soon as""",
    "reason": """
        because | since | so that | otherwise | that's why | reason""",
    "either": """
        or it | or nothing | or else | or don't | or you | except | everything except | , not | , never |
        and not | not the | but not | but never | . not""",
    "ours": """
        is how we | is what we | isn't what we | is how i | is what i | isn't how we | we don't do | our way""",
    "scope": """
        here | in this repo | in this project | in this codebase | this repo | this project | this codebase
        | around here | over here | on this team | in our | on our | across | in my | on my | at work | in
        house | in-house | company-wide | everywhere | for all | in all | on all | in every | in any | in
        english""",
    "team": """
        we | our | our team | we're | we've | the team | us | we'd | my team | my company | our company |
        our house""",
    "deploy": """
        deploy | deploys | deployed | runs on | hosted | hosted on | ships | ship | we use | uses | built
        with | written in | we're on | is on | live on | production | prod | staging | database | package
        manager | we run | we target | target | targets | backend | stack | monorepo | release | releases |
        licence | license | licensed | budget | deadline | due | due on""",
    "decide": """
        decided | we decided | we chose | settled on | went with | going with | we picked | opted | we're
        going | ruled out | rejected | agreed on | agreed to | committed to | landed on | verdict | decision
        | it is then | final call | signed off | concluded""",
    "moved": """
        switched | moved | migrated | replaced | swapped | renamed | changed | retired | scrapped | dropped
        | ditched | upgraded | shut off | shut down | turned off | bumped | raised | lowered | these days |
        now | as of | nowadays | promoted | joined | quit my | left | got a new | took over | is gone | are
        gone | is dead | no longer | correction | scratch that | i lied | changed my mind | on reflection |
        turns out | update""",
    "where": """
        tracked | documented | lives in | live in | kept in | stored in | found in | can be found | you'll
        find | filed | the place to | is where | posted | reported | channel | dashboard | board | wiki |
        tracker | runbook | runbooks | tickets | ticket | docs | spec | space | folder | handbook | jira |
        linear | notion | confluence | slack | discord | figma | grafana | kibana | sentry | datadog |
        pagerduty | asana | trello | google drive | sharepoint | airtable | source of truth | canonical |
        look in | go to | ask in | ping | talk to | contact""",
    "im": """
        i'm | i am | im | i'm a | i'm an | i am a | as a | as an | as someone | being | my name | name's |
        call me | i go by | my pronouns | pronouns | here""",
    "my": """
        my | mine | my own""",
    "ihab": """
        i work | i live | i use | i run | i do | i speak | i write | i teach | i study | i maintain | i lead
        | i manage | i own | i have | i've got | i come from | i know | i read | i code | i build | i type |
        i handle | i look after | i'm on | i'm using | i'm based | based in | i'm in | i'm from | i can't |
        i don't | i never | i only | i've been | i've never | i've worked | i've used | new to | years of |
        for years | years | by trade | by training | for a living | day job | i spend | i mostly | mostly""",
    "role": """
        developer | dev | engineer | programmer | scientist | student | undergrad | postdoc | professor |
        lecturer | teacher | tutor | researcher | nurse | doctor | physician | surgeon | vet | lawyer |
        accountant | designer | manager | lead | head | analyst | architect | administrator | admin |
        sysadmin | consultant | contractor | freelancer | freelance | founder | owner | director | intern |
        trainee | apprentice | junior | senior | principal | maintainer | contributor | writer | editor |
        journalist | translator | librarian | musician | artist | tester | qa | sre | dba | cto | beginner |
        newbie | novice | amateur | retired | hobbyist | backend | frontend | firmware | embedded |
        full-stack | speaker | native | user | person | volunteer | technician | operator | biologist |
        chemist | physicist | statistician | economist | linguist | historian | mechanic | pilot | chef |
        farmer | dyslexic | colour-blind | color-blind | colourblind | colorblind | blind | deaf | adhd |
        autistic | left-handed | timezone | time zone | utc | phd | thesis""",
    "yourole": """
        your name | your name is | your role | your job | you're called | i'll call you | call you | you are
        my | you're my | you're our | you are our | act as | call yourself | rename you | you go by | answer
        to | your nickname | you are now | think of yourself""",
    "talk": """
        answer | answers | reply | replies | respond | responses | response | explain | explaining |
        explanations | summary | summaries | recap | recaps | emoji | emojis | bullet | bullets | bullet
        points | prose | tone | jargon | preamble | apologies | apologizing | apologising | sugar-coat |
        essay | essays | lecture | verbose | concise | terse | short | brief | blunt | plain | spelling |
        english | metric | analogies | examples | example | code blocks | snippets | diffs | diff | commit
        messages | commits | comments | comment | docstrings | you give me | show me | tell me | ask me |
        suggesting | suggest | reformatting""",
    "art": """
        tests | test | functions | names | variables | types | classes | imports | branches | prs | pull
        requests | migrations | queries | dates | logs | errors | exceptions | endpoints | dependencies |
        files | tabs | spaces | quotes | semicolons | globals | headers | images | posts | modules |
        commands | scripts | configs | secrets | notebooks | constants | mocks | comments | strings |
        timestamps | tables | reviews | changes | packages | libraries | abbreviations""",
    "now": """
        for now | right now | today | tonight | just now | at the moment | for the moment | this time | just
        this once | this once | only this once | for once | temporarily | this week | this morning | this
        afternoon | tomorrow | yesterday | for the time being | in a minute | so far | as an exception | yet
        | this sprint | until monday | until tomorrow | last night | last week | last time | earlier | a
        minute ago | just | still | again | first | then | next | quickly | this month""",
    "this": """
        this | these | those | this one | that one""",
    "it": """
        it | them | it's | its""",
    "thisthing": """
        this file | this function | this pr | this test | this script | this branch | this commit | this
        class | this method | this one | this error | this code | this page | this module | this ticket |
        this task | this query | this table | this loop | this bug | this line | that file | that function |
        that test | that line | the function | the file | the test | the tests | the bug | the error | the
        loop | the button | the table | the query | the script | the code | the first | the second | the
        last | the other | the new | the old | the build | the page | the header | the output | the class |
        the method | the column | the failing | the branch | the log | the diff | the change | line""",
    "asks": """
        ?""",
    "quest": """
        how do | how does | how can | how would | what is | what's | what does | why does | why is | why do
        | is there | can you | could you | would you | do you | did you | should i | should we | which | any
        idea | what if | what would | who""",
    "task": """
        i need you to | i want you to | i want to see | i'd like you to | fix | rename | add | write |
        create | implement | refactor | port | draft | generate | summarize | summarise | translate |
        convert | make | check | look at | look into | find | run | update | delete | remove | move | review
        | debug | build | put | set | change | start with | let's | list | open | print | sort | give me |
        help me | redo | try | split | merge | finish | plot | bump | paste | regenerate | extract | clean
        up | set up | take""",
    "past": """
        was | were | did | had | got | said | told | asked | tried | ran | made | thought | saw | found |
        went | came | broke | wrote | looked | happened | crashed | failed | didn't | wasn't | couldn't |
        used to | remember when | the other day""",
    "prob": """
        down | returning | again | 500s | bug | error | errors | fails | failing | fail | broken | crash |
        crashes | crashing | slow | stuck | leaks | wrong | weird | hangs | missing | exception | timeout |
        stack trace | red | flaky | doesn't work | not working | won't start | times out | segfault""",
    "open": """
        maybe | perhaps | might | could | probably | i guess | i wonder | wondering | i think | thinking
        about | thinking of | considering | not sure | suppose | imagine | what if | would be | if i | if we
        | would | someday | one day | eventually | pretend | hypothetically | let's say | say | assume | i
        wish | i hope | hopefully | undecided | sounds like | seems | looks like | possibly""",
    "them": """
        he | she | they | his | her | their | someone | somebody | people | everyone | everybody | my
        colleague | my boss | my friend | my wife | my husband | my sister | my brother | my manager |
        customer | customers | client | users | my coworker | my teammate | the author | a friend |
        colleague | boss | says | said | wants | thinks | told me""",
    "joke": """
        haha | lol | lmao | kidding | joking | obviously | just kidding | coffee | weekend | sarcasm | as if
        | hilarious | world peace | unicorn | dream | bored | weather | lunch | beer | pizza | sleep |
        monday | friday | monkey | magic | sorcery | karma | jinx""",
    "chat": """
        thanks | thank you | cool | nice | great | good | perfect | awesome | never mind | nevermind | no
        worries | don't worry | no problem | sorry | hi | hello | hey | ok | okay | yes | no | sure | good
        morning | looks good | i see | got it | wow | hmm | interesting | makes sense | good point | well
        done | better | please | kindly""",
    "fict": """
        story | poem | character | scene | dialogue | novel | lyrics | role-play | roleplay | screenplay |
        cover letter | speech | bio | villain | hero | protagonist | quote | quoting | transcript | the
        readme | the docs | the article | according to | the error says | it says | wrote | translate""",
}
#: words of grammar; each counts by itself
_GRAMMAR = frozenset(
    """
    i me my you your we our us he she they it this that these those the a an is are was were be been has have had
    do does did don't not no never always only just please and or but so if when while because with without for
    from in on at to of as by than then there here what how why which who can could would should will must may
    might let's i'm i've i'd i'll you're we're it's that's can't won't isn't aren't doesn't didn't stop use using
    keep one two first second more less also too even really now every each any all some most
    """.split()  # noqa: SIM905
)
#: classes that count at the beginning of a clause alone: "open the file", not "open questions"
_OPENING_ONLY = frozenset(("task", "quest"))
_BEFORE_CLAUSE = frozenset(",;:.!?()") | frozenset("and so then now please just but ok also to hi hey".split())  # noqa: SIM905
_BE = frozenset(["is", "are", "am", "i'm", "we're", "was", "were", "he's", "she's", "it's", "they're", "keeps"])
_NO_PROGRESS = frozenset(
    "learning studying based everything nothing anything something missing annoying distracting".split()  # noqa: SIM905
)
_DIRECTIVES = frozenset(
    f"c:{name}"
    for name in ["always", "firm", "dont", "must", "stop", "hate", "policy", "before", "remember", "default"]
)
_LASTING = _DIRECTIVES | frozenset(f"c:{name}" for name in ["prefer", "keep", "instead", "either", "reason", "role"])
_SIZES = ((3, "1-3"), (7, "4-7"), (15, "8-15"), (25, "16-25"))  #: most words of a size
_LONG = "26-"
_SUBJECTS = frozenset(("i", "i'm", "we", "you", "our", "my", "the", "please", "keep", "if", "for", "no"))


def _index() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, phrases in CUES.items():
        for phrase in phrases.split("|"):
            first, *rest = phrase.split()
            found.setdefault(first, []).append((tuple(rest), name))
    return found


_PHRASES = _index()


def weigh(masked: str) -> int:
    """Return how much speaks for a lasting statement, in tenths of a logit; 0 is as likely as not."""
    return WEIGHTS[""] + sum(WEIGHTS.get(cue, 0) for cue in features(masked))


@lru_cache(maxsize=512)
def features(masked: str) -> frozenset[str]:
    """Return the cues in a sentence.

    `c:` a class, `w:` a word, `1:` what opens it, `2:` its first two words, `s:` its shape, `n:` its size.
    """
    raw = _TOKEN.findall(masked.replace("’", "'"))
    low = [token.lower() for token in raw]
    found = {f"c:{name}" for n, token in enumerate(low) for name in _classes(low, n, token)}
    found.update(f"w:{token}" for token in low if token in _GRAMMAR)
    words = [token for token in low if token[0].isalnum()]
    found.update(_shape(raw, low, words))
    found.update(_opening(words))
    if any(a in _BE and b.endswith("ing") and b not in _NO_PROGRESS for a, b in pairwise(low)):
        found.add("s:progress")
    if "\x1a" in masked:
        found.add("s:quoted")
    return frozenset(found | _combined(found))


def _combined(found: set[str]) -> set[str]:
    """Return what cues mean together: a thing at hand with a request is a task, a ban without one is a rule."""
    at_hand = found & {"c:this", "c:thisthing"}
    together = {
        "s:trouble": "c:prob" in found and not found & _DIRECTIVES,
        "s:handed": at_hand and found & {"c:task", "c:asks"},
        "s:ban": found & {"c:dont", "c:stop", "w:no"} and not at_hand and "c:it" not in found,
    }
    return {cue for cue, holds in together.items() if holds}


def _classes(low: list[str], n: int, token: str) -> list[str]:
    known = _PHRASES.get(token)
    if not known:
        return []
    opens = n == 0 or low[n - 1] in _BEFORE_CLAUSE
    return [
        name
        for rest, name in known
        if (opens or name not in _OPENING_ONLY) and (not rest or tuple(low[n + 1 : n + 1 + len(rest)]) == rest)
    ]


def _shape(raw: list[str], low: list[str], words: list[str]) -> set[str]:
    found = {f"s:{ending}" for ending in ("ing", "ed", "s") if any(len(w) > 3 and w.endswith(ending) for w in words)}
    if any(token[0].isupper() and token.lower() not in _FIRST_PERSON for token in raw[1:]):
        found.add("s:capital")
    if any((token[0] == "#" and len(token) > 1) or token.startswith("http") for token in low):
        found.add("s:address")
    if any(_SYMBOL.search(token) and not token.startswith("http") for token in low):
        found.add("s:symbol")
    if any(token[0].isdigit() for token in low):
        found.add("s:number")
    found.add(f"n:{next((name for most, name in _SIZES if len(words) <= most), _LONG)}")
    return found


def _opening(words: list[str]) -> set[str]:
    if not words:
        return set()
    first = words[0]
    found = {f"1:{name}" for rest, name in _PHRASES.get(first, ()) if not rest}
    found.add(f"1:{first}" if first in _GRAMMAR else "1:plural" if first.endswith("s") else "1:other")
    if first in _SUBJECTS and len(words) > 1:
        second = words[1]
        found.add(f"2:{first} {second if second in _GRAMMAR else 'ed' if second.endswith('ed') else '*'}")
    return found


def kind_of(masked: str) -> Kind:
    """Return what a lasting statement is most likely about: it decides the file."""
    cues = features(masked)
    if "c:yourole" in cues:
        return Kind.AGENT
    if "c:decide" in cues:
        return Kind.DECISION
    if cues & {"s:address", "c:where"} and "c:dont" not in cues and not cues & {"c:im", "c:always"}:
        return Kind.POINTER
    if cues & {"c:prefer", "c:like", "c:hate", "c:talk"}:
        return Kind.PREFERENCE
    if cues & {"c:always", "c:firm", "c:dont", "c:must", "c:stop", "c:policy", "c:before", "w:no"}:
        return Kind.RULE
    if cues & {"c:im", "c:ihab", "1:my", "c:role"}:
        return Kind.PERSON
    if cues & {"c:deploy", "c:moved", "1:we"}:
        return Kind.PROJECT
    return Kind.RULE


def lasting(masked: str) -> bool:
    """Return whether a request holds a cue that makes it a standing one."""
    return bool(features(masked) & _LASTING)
