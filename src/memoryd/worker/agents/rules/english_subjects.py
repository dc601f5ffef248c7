"""English: what facts are about. Attributes with one value at a time, and how people call what they want forgotten."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

from memoryd.worker.agents.rules.english_words import regex
from memoryd.worker.agents.rules.patterns import Alias

SLOTS = (
    (
        "user name",
        regex(
            r"the user(?:'s (?:full |first |real )?name)? is (?:called )?(?-i:[A-Z][\w'’.-]+(?: [A-Z][\w'’.-]+){0,3})(?: here| from| with| at| and| \(|$)|\b(?:call|address) the user\b|the user is called|the user goes by"
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
            r"(?:^|the user\b.*\b|^(?:just|recently|finally) )moved to (?-i:[A-Z][a-z]+)|time ?zone|\bUTC[+-]|\bCET\b|\bPST\b|\bEST\b|the user (?:is |has )?(?:\w+ )?(?:lives?|based|located|living|moved to|relocated to|is in|is from|resides?) (?:in |to |near |out of )?(?:the )?(?-i:[A-Z][a-z]{2,})"
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
        regex(r"\b(?:mac ?os|windows|linux|ubuntu|debian|fedora|arch|nixos|mac(?:book)?|wsl2?)\b|\boperating system\b"),
    ),
    (
        "editor",
        regex(
            r"the user .*\b(?:vim|neovim|nvim|emacs|helix|vs ?code|vscode|intellij|pycharm|goland|webstorm|sublime|zed)\b|\beditor is\b"
        ),
    ),
    ("shell", regex(r"the user .*\b(?:fish|zsh|bash|powershell|nushell)\b|\bshell is\b|the user\b.*\bshell\b")),
    ("keyboard", regex(r"the user\b.*\bkeyboard\b")),
    ("terminal", regex(r"the user\b.*\bterminal\b")),
    ("browser", regex(r"the user\b.*\bbrowser\b")),
    ("message queue", regex(r"\bmessage (?:queue|broker)\b")),
    (
        "agent name",
        regex(
            r"the assistant is (?-i:[A-Z][\w-]+)(?: from| now|$)|the assistant(?:'s (?:new )?(?:nick)?name| is (?:now )?(?:called|named))|\bcall the assistant\b|call(?:s)? themselves|answer to|go by"
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
        regex(
            r"\b(?:indent\w*|tabs?|\w+[- ]spaces?)\b(?=.*(?:indent|spaces|tabs|files?|code|js|python|go\b)|(?: (?:now|again|instead|these days|everywhere))*$)"
        ),
    ),
    ("theme", regex(r"\b(?:dark|light) (?:mode|theme|colou?r scheme)\b")),
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
    (
        "working hours",
        regex(
            r"\b(?:working (?:day|hours|time)|shifts?|hours)\b|\bworks? (?:from )?\w+ to \w+|\b\d+(?::\d\d)? ?(?:to|-) ?\d+(?::\d\d)?\b.*\b(?:work|ping|call)|\bworks? .*\b(?:till|until|nights)\b"
        ),
    ),
    (
        "date format",
        regex(
            r"\b(?:dates?|timestamps?)\b.*(?:\b(?:format\w*|written|style|iso|rfc ?\d+|as|in|spelled|month|style)\b|[DMY]{2}[/.-])|DD[/.]MM|YYYY-MM|\b\d{1,2} [A-Z][a-z]{2} \d{4}\b"
        ),
    ),
    (
        "answer length",
        regex(
            r"\b(?:answers?|repl(?:y|ies)|explanations?|summar(?:y|ies)|full story|keep it|long form|in depth)\b.*\b(?:short|brief|long|longer|lines?|sentences?|detail\w*|full|concise|terse|verbose|paragraphs?|depth|default)\b|\b(?:full story|short|brief|concise|terse|detailed|longer) (?:answers?|repl|explanations?|with)"
        ),
    ),
    (
        "branch names",
        regex(r"\bbranch(?:es)? (?:names?|naming)|\bname .*\bbranch|\bbranches (?:start|begin|are (?:named|called))"),
    ),
    (
        "default branch",
        regex(r"\bdefault branch|\btrunk\b|\b(?:master|main) (?:branch )?(?:is|was)\b|\bbranch is (?:master|main)\b"),
    ),
    (
        "frontend framework",
        regex(r"\b(?:react|vue|angular|svelte(?:kit)?|next\.?js|nuxt|remix|solid(?:js)?|preact|ember)\b"),
    ),
    (
        "web framework",
        regex(
            r"\b(?:django|flask|fastapi|rails|express|nestjs|fastify|laravel|symfony|spring(?: boot)?|gin|actix|axum)\b"
        ),
    ),
    ("state management", regex(r"\b(?:redux|zustand|mobx|pinia|vuex|recoil|jotai)\b")),
    ("monitoring", regex(r"\b(?:graphite|victoriametrics|prometheus|datadog|new relic|influx\w*)\b")),
    ("logging", regex(r"\b(?:log4j|slf4j|logback|loguru|structlog|winston|pino|zap|zerolog)\b")),
    ("maps", regex(r"\b(?:leaflet|maplibre|mapbox|openlayers|google maps)\b")),
    ("docs tool", regex(r"\bdocs?\b.*\b(?:sphinx|mkdocs|mdbook|docusaurus|confluence|notion|wiki|handbook)\b")),
    (
        "laptop",
        regex(
            r"the user .*\b(?:macbook|thinkpad|chromebook|framework|laptop|workstation|desktop|surface)\b|\b(?:laptop|machine) is\b"
        ),
    ),
    ("diet", regex(r"\b(?:vegetarian|vegan|pescatarian|eats? (?:fish|meat|everything)|gluten|halal|kosher)\b")),
    (
        "team size",
        regex(
            r"\bteam of\b|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:people|devs|developers|engineers|of us)\b"
        ),
    ),
    ("coverage", regex(r"\bcoverage\b")),
    (
        "line length",
        regex(r"\bline (?:length|width|limit)|\d+ (?:columns|characters)\b|\blimit (?:to|is|of) \d{2,3}\b"),
    ),
)

#: in the order in which they count when a wish holds words of several
ALIASES = (
    Alias(
        "health",
        regex(
            r"\b(?:health|hearing|sight|medical|medic\w+|meds|diagnos\w+|illness|disease|condition|disabilit\w+|therapy|surgery|pills?)\b"
        ),
        regex(
            r"adhd|autis|the user takes (?-i:[A-Z])|dyslex|depress|anxi|diabet|allerg|medicat|disorder|cancer|leuk|pregnan|blind|deaf|hearing|eyesight|vision|therap|surgery|physio|epilep|condition|disease|illness|diagnos|sclerosis|migraine|wheelchair|tinnitus|\brsi\b|on (?:meds|pills)|doctor|hospital"
        ),
    ),
    Alias(
        "income",
        regex(r"\b(?:salary|pay|income|wages?|earnings?|what i (?:earn|make))\b"),
        regex(r"salary|\bearns?\b|paid|income|a (?:year|month)\b.*\d|\d.* a (?:year|month)\b"),
    ),
    Alias(
        "budget",
        regex(r"\b(?:budgets?|costs?|prices?|funding|figures?)\b"),
        regex(r"budget|costs?\b|price|funding|[$€£]|\d+ ?k\b|euros?|dollars"),
    ),
    Alias("client", regex(r"\b(?:clients?|customers?|vendors?)\b"), regex(r"\b(?:clients?|customers?|vendors?)\b")),
    Alias(
        "school",
        regex(r"\b(?:school|university|uni|college|degree|studies)\b"),
        regex(r"school|universit|\buni\b|college|degree|stud(?:y|ies|ied|ent)|graduat|teach"),
    ),
    Alias(
        "employer",
        regex(
            r"\b(?:my|the|an?) (?:company|employer|firm|work ?place)\b|\b(?:company|employer)\b|\bwhere i work\b|\bwho i work for\b|\bwork\b$"
        ),
        regex(r"works? (?:at|for)|employer|company|joined| at (?-i:[A-Z])"),
    ),
    Alias(
        "nickname", regex(r"\b(?:nick(?:name)?|handle|pseudonym)\b"), regex(r"\bnick|handle|goes by|known as|pseudonym")
    ),
    Alias(
        "email", regex(r"\be-?mails?\b|\bmail(?: address)?\b"), regex(r"\S@\S|e-?mail|\bat \S+ dot\b|mail(?:box)?\b")
    ),
    Alias(
        "phone", regex(r"\b(?:phone|mobile|cell)\b(?: number)?"), regex(r"\b(?:phone|mobile|cell)\b|\+?\d[\d -]{7,}")
    ),
    Alias(
        "place",
        regex(
            r"\b(?:city|town|village|country|location|address|home|house|hometown|neighbou?rhood|where (?:exactly )?i(?:'m| am)? (?:live|living|based|from|come from|grew up|stay|sit))\b"
        ),
        regex(
            r"\blives?\b|living in|based|located|the user is (?:in|from)|the user's (?:address|home|house|flat)|moved to|resides?|comes from|grew up|the user works? from (?-i:[A-Z])"
        ),
    ),
    Alias("address", regex(r"\baddress\b"), regex(r"\S@\S|e-?mail|https?://|\w\.\w+:\d+|lives? at [\w.]+")),
    Alias(
        "job",
        regex(r"\b(?:job|role|title|profession|occupation|what i do|career)\b"),
        regex(r"the user (?:is|works|does)\b.*<ROLE>"),
    ),
    Alias(
        "age",
        regex(r"\b(?:age|birthday|birth ?date|date of birth|how old|years? of birth)\b"),
        regex(r"\b\d\d years old|the user is \d\d\b|\bborn\b|birthday|\b(?:turn(?:ed|s|ing)?|at|aged?) \d\d\b|\bage\b"),
    ),
    Alias(
        "family",
        regex(
            r"\b(?:famil(?:y|ies)|kids?|child(?:ren)?|sons?|daughters?|boys?|girls?|baby|wife|husband|spouse|partner|marriage|divorce|girlfriend|boyfriend|private life)\b"
        ),
        regex(
            r"\b(?:famil(?:y|ies)|kids?|child(?:ren)?|sons?|daughters?|boys?|girls?|baby|wife|husband|spouse|partner|married|marriage|divorced?|girlfriend|boyfriend)\b"
        ),
    ),
    Alias(
        "leaving",
        regex(r"\b(?:quit(?:ting)?|leaving|resign\w*|job (?:hunt|search)|interview\w*|notice|plans?)\b"),
        regex(
            r"\b(?:quit|quits|quitting|leaving|leaves|resign\w*|job (?:hunt|search)\w*|interview\w*|notice|looking (?:for|around)|new job|offer)\b"
        ),
    ),
    Alias(
        "schedule",
        regex(r"\b(?:schedule|hours|shifts?|availability|holidays?|vacation|absence|when i work|working times?)\b"),
        regex(
            r"\b(?:hours|shifts?|schedule|available|holidays?|vacation|away|until|nights?|mornings?|evenings?|weekends?|(?:\d+|five|six|seven|eight|nine|ten|eleven|noon) (?:to|till?|until) \w+|\d+ ?[ap]m|\d+:\d\d)\b"
        ),
    ),
    Alias(
        "visa",
        regex(r"\b(?:visa|immigration|passport|residence permit)\b"),
        regex(r"\b(?:visa|immigration|passport|permit)\b"),
    ),
    Alias(
        "server",
        regex(
            r"\bwhere .*\b(?:servers?|machines?|hosts?|things) (?:are|is|live|stand)\b|\bhost(?:name)?\b|\bpaste[d]? a host\b"
        ),
        regex(r"\bhost|\bservers?\b|\brack\b|\w\.\w+:\d+|https?://"),
    ),
    Alias(
        "password",
        regex(r"\b(?:pass(?:word|phrase)|credentials?|secrets?)\b"),
        regex(r"pass(?:word|phrase)|credential|secret|login"),
    ),
    Alias(
        "name",
        regex(
            r"^(?!.*\b(?:client|customer|vendor|company|project|system|product|team|school|domain|host|file)).*(?:\b|sur|nick)names?\b|\bwho i am\b"
        ),
        regex(r"\bname|called|the user is (?-i:[A-Z])|\bcall |goes by"),
    ),
)
