"""What a statement gives the value of: an attribute of the user or of the project, the same in both languages.

`_NOUNS` are what people call an attribute, `_FRAMES` how they give its value without naming it ("I live in ...").
Chinese words are looked for as they stand, English ones as words, also in the plural.
"""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from memoryd.patterns import lazy
from memoryd.worker.agents.rules.chinese_script import simplified
from memoryd.worker.agents.rules.english_words import regex as english_regex
from memoryd.worker.agents.rules.known_values import named_values
from memoryd.worker.agents.rules.languages import ENGLISH, language_of

_NOUNS = """
    editor, ide, code editor = 编辑器
    shell, login shell = 命令行 shell
    terminal, terminal emulator, console emulator = 终端
    browser, web browser = 浏览器
    keyboard = 键盘
    keyboard layout, layout = 键盘布局 键位
    input method = 输入法
    mouse, trackball = 鼠标
    monitor setup, display = 显示器
    laptop, notebook, computer, machine, workstation = 电脑 笔记本 主力机 开发机 机器
    phone = 手机
    operating system, os, distro = 操作系统 系统
    font = 字体
    theme, colour theme, color theme, colour scheme, color scheme = 主题 配色
    window manager, desktop environment = 窗口管理器 桌面环境
    notes, notes app, note app, note taking = 笔记软件
    password manager = 密码管理器
    search engine = 搜索引擎
    music, coding music = 音乐
    drink, drink of choice, beverage = 饮料 喝的
    breakfast = 早餐 早饭
    lunch = 午餐 午饭
    diet = 饮食
    sport, workout = 运动
    instrument = 乐器
    hobby = 爱好
    pet = 宠物
    dog = 狗 狗狗
    cat = 猫 猫咪
    car = 车 车子
    bike, bicycle = 自行车
    city, town, hometown, home town, home = 城市 家
    country = 国家
    office = 办公室
    employer, company, workplace = 公司 东家 单位 雇主
    job title, title, position, role, job = 岗位 职位 职称 职务 头衔
    team = 团队 小组
    manager, boss, team lead = 老板 领导 主管 经理
    working hours, work hours, hours, schedule = 工作时间 作息 上班时间
    time zone, timezone, tz = 时区
    name = 名字
    nickname = 外号 昵称
    pronouns, pronoun = 代词
    birthday = 生日
    native language, mother tongue = 母语
    favourite language, favorite language, main language, favourite programming language, primary language = 主力语言 编程语言
    spelling = 拼写
    answer language = 回答语言
    answer style, tone = 回答风格 回答方式 风格 语气
    database, db, datastore, data warehouse, warehouse = 数据库 数据仓库
    cache, caching, cache layer = 缓存
    queue, message queue, message broker, broker = 队列
    search backend, search index = 检索 搜索服务
    object store, file storage, storage = 对象存储 存储
    orm = ORM
    hosting, host, deploy, deployment, prod, production, deployment platform, deployment target, deploy target, cloud, cloud provider = 托管 部署平台 云
    region = 区域 地域
    domain = 域名
    ci, continuous integration, pipeline, build server = CI 流水线
    frontend framework, frontend, ui framework = 前端框架 前端
    backend framework, web framework, framework = 后端框架
    css framework, styling = 样式
    state management = 状态管理
    test runner, test framework, testing framework, tests, test command = 测试框架 测试命令
    build tool, bundler, build system = 构建工具 打包工具 打包
    package manager, dependencies, packages, deps, lockfile = 包管理器 包管理
    linter, lint tool = 代码检查 检查工具
    formatter, code formatter = 格式化工具
    type checker = 类型检查
    logging library, logger, logging, log library, log = 日志库 日志框架
    log level = 日志级别
    monitoring, metrics = 监控
    error tracker, error tracking, crash reporting = 错误上报 错误追踪
    on-call, on-call tool, oncall, paging = 值班工具 值班 告警
    issue tracker, bug tracker, tracker, tickets = 缺陷 工单 需求管理
    docs tool, documentation, docs = 文档
    wiki = 知识库
    chat, chat tool, team chat = 沟通工具 聊天工具
    design tool = 设计工具 设计稿
    feature flags, feature flag = 功能开关 灰度
    secrets, secret store = 密钥
    license, licence = 许可证 协议
    branch, base, default branch, main branch, base branch, development branch, dev branch, working branch = 主分支 默认分支 开发分支
    release branch = 发布分支
    branch prefix, branch names, branch naming = 分支名 分支命名 分支前缀
    commit style, commit messages, commit format, commit message = 提交信息 提交格式
    merge strategy, merge method = 合并方式
    code style, style guide = 代码风格 代码规范
    naming, naming convention = 命名
    indentation, indent = 缩进
    line length, line width, max line length = 行宽 行长
    python version, python = Python 版本
    node version, node = Node 版本
    runtime = 运行时
    language, programming language = 语言
    port, service port = 端口
    dev port, dev server port, dev server = 开发端口 开发服务器
    api, api style, api format = 接口风格
    api version = 接口版本
    timeout = 超时
    coverage, coverage threshold, coverage target = 覆盖率
    release day, release time, release date, release, releases, ship day = 发版日 发版时间 发布日 发版 发布时间
    deploy day, deploy window = 上线时间 上线日 部署时间
    standup, stand-up, daily, standup time = 站会 晨会 例会
    sprint, sprint length = 迭代 迭代周期
    demo, demo day = 演示
    retro, retrospective = 复盘会 回顾会
    planning, planning meeting = 计划会 排期会
    team meeting, weekly, weekly meeting = 周会
    plotting library, plotting, plots = 画图库 绘图
    experiment tracker, experiment tracking, tracking = 实验追踪 实验记录
    end to end tests, e2e tests, e2e = 端到端测试
    infrastructure tool, infrastructure, iac, infra = 基础设施
    commute = 通勤
    answer length, answer format, length of answers = 回答长度 回答篇幅
    reviewer, review owner, code owner, reviews, code review = 评审 审核人 代码评审
    approvals = 审批
    team size, headcount = 团队人数 人数
    product owner, po = 产品负责人 产品经理
    deadline = 截止日期 截止时间 交付日
    budget = 预算
    date format = 日期格式
    currency = 货币 币种
    unit, units = 单位
"""
_FRAMES = (
    ("city", r"\b(?:i|i['’]m|i['’]ve|we|user|user is|user has|am|been|and|now|last \w+,)(?: \w+ly| now| been| still| currently)? (?:live|lives|living|lived|based|located|residing|relocated|settled) (?:here |over |out )?(?:in|at|near|to)\b|^(?:just |recently |finally )?(?:living|based|moved|relocated) (?:in|to) (?-i:[A-Z])|\b(?:i|i['’]ve|user|user has|we)(?: just| recently| finally)? moved to (?-i:[A-Z])", r"(?<!院)住(?!院)|人在|常驻|定居|坐标|搬家|搬到(?!.{0,12}(?:上|云))|搬去"),
    ("employer", r"\b(?:work|works|working|worked|job) (?:at|for)\b(?! (?:me|home|night|all)\b)|\bjoined\b|\bhired by\b|\bemployed (?:at|by)\b|\bchanged jobs?\b|\bnew (?:job|employer)\b", r"[在去].{1,20}(?:上班|就职|任职|工作|供职)|入职|跳槽|离职|换工作"),
    ("job title", r"\b(?:work|works|working) as\b|\bpromoted to\b|\bnew (?:role|title|position)\b|\bpromoted\b|\b(?:i am|i['’]m|user is) (?:working )?as an? |\bas an? [\w ]{2,20} (?:i|the user)\b", r"转岗|升任|升为|升成|调岗|工作是"),
    ("working hours", r"\b(?:i|user) (?:now )?works? (?:from )?(?:\d|\w+ (?:to|till|until)\b)|\bworking (?:time|hours)\b|\b(?:hours|online|office) (?:from )?\d", r"\d+ ?点.{0,8}(?:上班|下班)|(?:上班|下班).{0,4}\d+ ?点|[早朝][七八九十]晚[五六七八九十]|作息|上班时间"),
    ("drink", r"\b(?:drink|drinks|drinking)\b", r"喝"),
    ("car", r"\b(?:drive|drives|driving) (?:an?|the|my)\b", r"开的?车|开的是|开一辆|开着一?|(?:我|用户|通勤|平时|现在).{0,4}开(?!发|会|始|源|关|放|门|心|除|通|启|着?写|了?个)|[新]?车"),
    ("bike", r"\b(?:ride|rides|riding) (?:an?|the|my)\b", r"骑"),
    ("instrument", r"\b(?:play|plays|playing|learning|practi[cs]e|practi[cs]ing) the\b|\b(?:play|plays|playing|learning|practi[cs]ing) (?:\w+ )?(?:guitar|bass|piano|keys|violin|viola|cello|drums|banjo|flute|trumpet|sax|saxophone|harp|accordion|clarinet|ukulele)\b", r"弹|拉小?提琴|学.{0,2}琴"),
    ("sport", r"\b(?:play|plays|playing|train|trains|training)\b(?! the)", r"[打踢练].{0,3}球|健身|跑步|游泳"),
    ("pet", r"\b(?:i|i['’]ve|we|user|user has) (?:have|got|has|adopted|own)? ?(?:an? )?(?:\w+ )?(?:dog|cat|pet|puppy|kitten|parrot|rabbit|hamster)\b|\b(?:my|our|new|the user['’]s) (?:\w+ )?(?:dog|cat|puppy|kitten|parrot|rabbit|hamster)\b", r"养了?|宠物|[猫狗](?!粮)"),
    ("music", r"\b(?:listen|listens|listening) to\b", r"[都爱改只在]听|听着?(?!不|说|得|见)"),
    ("keyboard", r"\b(?:type|types|typing) on\b", r"打字"),
    ("input method", r"\binput method\b", r"打字"),
    ("editor", r"\b(?:edit|edits|editing|coding|write code|writes code) (?:\w+ ){0,2}(?:in|with)\b|\bfor coding\b|\b(?:using|use|uses) \S+(?: \S+)? (?:as (?:my |an? |the )?editor|for (?:everything|coding))\b", r"写代码.{0,6}[用开]|[用开].{1,16}写代码|写代码"),
    ("notes", r"\bnotes (?:\w+ ){0,2}in\b", r"笔记(?!本)"),
    ("name", r"\bcall (?:me|the user)\b|\bname['’]?s\b|\b(?:go|goes|going) by\b|\bthe user is called\b", r"[叫喊](?:我|用户)|称呼(?:我|用户)"),
    ("pronouns", r"\bpronouns?\b", r"代词"),
    ("time zone", r"\b(?:utc|gmt|cet|est|pst)\b", r"时区"),
    ("spelling", r"\bspelling\b", r"拼写"),
    ("hosting", r"\b(?:deploy|deploys|deployed|host|hosts|hosted|hosting|runs in production)\b|\b(?:production|prod|system|models?|service|app|everything)(?: \w+)? (?:is |are )?(?:running|runs?) on\b|\bships? to\b|\bdeployment\b", r"部署|托管|跑在|[发迁]到|线上"),
    ("release day", r"\b(?:release|releases|ship|ships|go out|goes out) (?:every |each )?(?:on|at|every)\b|\brelease (?:day|time|date)\b", r"发版|发布"),
    ("database", r"\b(?:data|everything|records) (?:lives?|is stored|goes|is kept) in\b|\bstore(?:s|d)? (?:our |the |all )?data in\b|\bas (?:our |the |a )?database\b|\bthe db\b", r"存数据|数据存|库用|(?<!仓)库是|用.{0,12}存"),
    ("logging library", r"\blogs? (?:with|through|via)\b|\blogging (?:w/|with|through)|\blogs? (?:go|goes|are written|written) (?:through|to|with)\b|\bfor (?:the |our )?logging\b", r"打日志|日志用|日志"),
    ("test runner", r"\btests? (?:run|runs|with|are run|are written)\b|\btest(?:s|ing)? (?:\w+ )?(?:with|on)\b|\b(?:run|use) .{1,24}for tests\b|\btest command\b|\bfor (?:the |our )?(?:testing|tests)\b|\btests (?:are )?(?:run|running)\b", r"跑测试|测试都?用|单测用|用.{1,20}测|单测"),
    ("package manager", r"\binstall(?:s)? (?:\w+ ){0,2}(?:with|via|through|using)\b|\bto install (?:packages|dependencies|things)\b|\bdependencies (?:with|via|through)\b|\b(?:the |our )?(?:dependencies|packages) (?:with|by)\b|\bfor (?:the |our )?(?:dependencies|packages)\b", r"装依赖|安装依赖|依赖用|装包|依赖|装包"),
    ("branch", r"\bprs? (?:\w+ ){0,3}(?:target|against|go to|go against|into)\b|\bmerge requests? (?:\w+ ){0,2}(?:to|target|against)\b|\bagainst (?:\S+ )?branch\b", r"合并请求|提到.{0,16}分支|往.{0,16}分支|合到"),
    ("monitoring", r"\bmonitor(?:s|ed|ing)?\b", r"监控"),
    ("error tracker", r"\berrors? (?:\w+ ){0,4}(?:go|goes|get sent|sent|are sent|reported) (?:to|in)\b", r"错误上报"),
    ("on-call", r"\bpages? (?:via|through)\b|\bpaging\b|\balerts? (?:\w+ ){0,4}(?:via|through|go to|page)\b", r"告警走|值班"),
    ("queue", r"\bjobs? go(?:es)? (?:through|via|to)\b|\bqueue\b", r"队列"),
    ("cache", r"\bcach(?:e|es|ing)\b", r"缓存"),
    ("demo", r"\bdemo\b", r"演示"),
    ("license", r"\b(?:re)?licen[cs]ed?\b", r"许可证"),
    ("port", r"\blistens? on\b|\bport\b|\blocalhost:", r"端口"),
    ("frontend framework", r"\bfrontend\b", r"前端.{0,8}(?:用|框架|改成|换成)"),
    ("orm", r"\borm\b", r"(?i:(?<![a-z])orm(?![a-z]))"),
    ("laptop", r"\blaptop\b|\b(?:working|work|develop\w*) on an? (?-i:[A-Z])", r"电脑|手上这台|这台"),
    ("answer style", r"^(?!.*\b<LANGUAGE>\b)(?!.*\b(?:short|brief|long|longer|concise|terse)\b).*\b(?:(?:in|for|as) (?:your |the )?(?:answers?|replies|responses)|answers? as|when (?:you|the assistant) (?:answer|repl(?:y|ies))|(?:answer|talk to|reply to) (?:me|the user) in|how you (?:talk|answer|reply)|tone)\b", r"^(?!.*(?:[中英日德法韩]文|英语|日语|简短|简洁|详细)).*(?:回答|回复|跟(?:我|用户)[讲说])"),
    ("reviewer", r"\breview(?:s|ed|er|ing)?\b(?! (?:app|copy))", r"评审|(?i:code review)|审核|[Rr]eview ?给|PR.{0,3}给.{1,8}看"),
    ("ci", r"\bbuilds? runs? on\b", r"流水线|构建用"),
    ("standup", r"\bstand-?ups?\b|\bteam (?:sync|meeting)\b|\bweekly meeting\b", r"站会|晨会|例会"),
    ("team size", r"\b(?:team of|(?:we|team|group)(?:['’]re| are| is| has| have| now)* (?:now )?(?:of )?|consists? of )(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:people|persons|members|devs|developers|engineers|of us)\b", r"[一二三四五六七八九十两\d]+ ?个人"),
    ("python version", r"\b(?:python|py) ?3\.\d+", r"(?i:python) ?3\.\d+"),
    ("node version", r"\bnode(?:\.?js)? ?v?\d+", r"(?i:node) ?v?\d+"),
    ("commute", r"\bcommut\w+\b|\b(?:go|come|get|goes|comes|gets) to (?:work|the office)\b", r"通勤|上下班"),
    ("answer length", r"\b(?:bullet (?:points|lists?)|bullets|(?:one|two|three|four|five|\d|short|long|single|brief)(?: short| brief)? (?:paragraphs?|sentences?|lines)|(?:detailed|short|long|brief|concise|terse|step[- ]by[- ]step|longer|shorter) (?:answers?|explanations?|replies|walkthroughs?)|walkthroughs?|one[- ]liners?|tl;?dr)\b", r"一段话|[一两二三四五几]句话|详细步骤|要点|简短|简洁|详细(?:的|点|一点|解释)|分点"),
    ("reviewer", r"\b(?:review(?:s|ed|er|ers)?|approves?|approval) (?:\w+ ){0,4}(?:by|from|goes to|go to|is|are|to)\b|\b\w+ (?:reviews|approves)\b|\b(?:assign|tag|request|ping) .{1,30}(?:\bprs?\b|\bmrs?\b|merge requests?|pull requests?|reviews?)|\b(?:prs?|mrs?|merge requests?|pull requests?) .{0,20}(?:to|by)\b", r"评审|审核|指给|(?i:review|reviewer).{0,6}(?:找|给|换|是|由|填)"),
    ("team size", r"\b(?:team of|we(?:['’]re| are)(?: now)?|there (?:are|is)(?: now)?|with) (?:\w+ ){0,2}?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a dozen)(?: of us| people| devs| developers| engineers| in the team| on the (?:team|project))", r"(?:团队|组里?|我们).{0,4}[\d一二三四五六七八九十两]+ ?个?人"),
    ("job title", r"\b(?:i am|i['’]m|im|user is|made me|made the user|as|role of|become|became)(?: now| currently)? (?:the |an? )?(?:\w+ ){0,2}(?:engineer|developer|lead|manager|scientist|designer|architect|analyst|consultant|director|researcher|founder|cto|sre|freelancer|student)\b", r"(?:我|用户)(?:现在)?(?:是|做|当).{0,8}(?:工程师|架构师|经理|负责人|开发|主管|总监|研究员|设计师|组长)"),
    ("age", r"\byears? old\b|\bturned (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b", r"岁"),
    ("answer language", r"\b(?:answers?|answer me|explanations?|repl(?:y|ies)|respond|speak|write)\b.{0,40}\b<LANGUAGE>\b|\b<LANGUAGE>\b.{0,20}\banswers\b", r"(?:回答|回复|跟(?:我|用户)说).{0,8}[文语]|[文语].{0,4}(?:回答|回复)|(?:中英对照|双语).{0,4}(?:回答|回复)|(?:回答|回复).{0,6}(?:中英对照|双语)"),
)  # fmt: skip

_NP = r"(?P<np>(?:[\w/-]+ ){0,3}?[\w/-]+?)"
_WHOSE = r"(?:(?:the user['’]s|the assistant['’]s|my|our|the|this (?:project|repo|app|service)['’]s|all|new) )*"
_OF = r"(?: (?:of|for|in|here|at|from)(?: (?:this|the|our|my|choice|us|me|now)(?: (?:project|repo|app|service|team|one))?)?)*"
_STARTS = r"(?:^|[,;:.!]\s+|\b(?:so|and|but|that|discussion|know) )(?:so |and |but |btw |fyi |now )*"
_GIVES = (
    r"(?: (?:now|still|currently|got|has|have|just))*(?:['’]s\b| (?:is|are|was|will be|isn['’]?t|aren['’]?t)\b|:| =|, | (?:runs?|lives?|sits?"
    r"|goes|moved|switched|changed|renamed|stays?|happens?|targets?|starts?|has|have|gets?|got)\b)"
)
_NOBODY = r"(?!(?:i|we|it|that|this|there|he|she|they|you|who|what|the user)\b)"
#: where an attribute is named: in front of its value, and behind it
_SUBJECT = lazy(rf"{_STARTS}{_WHOSE}{_NOBODY}{_NP}{_OF}{_GIVES}", re.IGNORECASE)
_OBJECTS = tuple(
    lazy(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:as|for|the user['’]s|my|our) {_WHOSE}{_NP}(?=$|[,.;:!?)]| (?:now|from|to|these|in|on|here|at|and|too|instead|because|since|is|are|runs|over)\b)",
        rf"\b(?:switched|switch|changed|moved|moving|swapped|replaced|set|renamed|upgraded|rewriting|rewrote|write|keep) {_WHOSE}{_NP}(?=$|[,.;:!?)]| (?:to|from|for|over|with|is|off|in|short|longer|brief)\b)",
    )
)
_CHINESE_PLACE = 12  #: characters of a clause in front of which its topic stands
_CHINESE_CLAUSE = lazy("[，。；;！!？?]")
#: an English name of an attribute in front of a Chinese statement
_LATIN = lazy(r"(?:[\u3400-\u9fff]{0,4} ?)([A-Za-z][\w ]*?) ?(?=[\u3400-\u9fff：:=])")
_CHINESE_GIVES = lazy("是|用|换|改|现在|从|走|叫|为|：|:|在|到|定|选|看|记|放|装|跑|统一|变|迁|切|升")
_SHORT_CHARS, _SHORT_WORDS = 14, 5
_CHINESE_CHANGES = lazy("换|改|变|迁|搬")
_WITHOUT = lazy(r"^(?:default|new|my|our|the|the user['’]s) ", re.IGNORECASE)
_NO_HEAD = frozenset(
    ["thing", "one", "way", "time", "user", "team", "lot", "kind", "sort", "part", "place", "rest", "end", "day"]
)


@lru_cache(maxsize=2_048)
def attributes_of(text: str) -> frozenset[str]:
    """Return the attributes that a statement, or a line of memory, gives a value of."""
    matched = simplified(text)
    found = {concept for concept, english, chinese in _frames() if english.search(matched) or chinese.search(matched)}
    found |= {attribute for attribute, _ in named_values(matched)}
    found |= set(_named(matched) if language_of(matched) is ENGLISH else _named_in_chinese(matched))
    return frozenset(found)


def _named(text: str) -> Iterator[str]:
    words = _WITHOUT.sub("", text.casefold()).split()
    if len(words) <= _SHORT_WORDS:  # "port 8081"
        yield from filter(None, (_english().get(_single(" ".join(words[:n]))) for n in range(1, len(words))))
    for match in _SUBJECT.finditer(text):
        words = match["np"].casefold().split()
        if known := _known(words):
            yield known
        elif match.start() == 0 and words[-1] not in _NO_HEAD and not match[0].endswith(", "):
            yield f"own {_single(words[-1])}"
    for place in _OBJECTS:
        yield from filter(None, (_known(match["np"].casefold().split()) for match in place.finditer(text)))


def _known(words: list[str]) -> str | None:
    """The attribute that the last words of a noun phrase name."""
    tails = (_single(" ".join(words[n:])) for n in range(len(words)))
    return next((_english()[tail] for tail in tails if tail in _english()), None)


def _named_in_chinese(text: str) -> Iterator[str]:
    for clause in _CHINESE_CLAUSE.split(text):
        if latin := _LATIN.match(clause):
            yield from filter(None, [_known(latin[1].casefold().split())])
        for words, concept in _chinese().items():
            at = clause.casefold().find(words)
            if 0 <= at <= _CHINESE_PLACE and (_is_short(clause) or _gives(clause, at)):
                yield concept
                clause = clause.replace(words, "·" * len(words))  # a shorter word of it names nothing else


def _is_short(clause: str) -> bool:
    """Whether a clause is so short that an attribute is named for its value alone: "数据库 TiDB"."""
    return len(clause) <= _SHORT_CHARS


def _gives(clause: str, at: int) -> bool:
    return bool(_CHINESE_GIVES.search(clause, at) or _CHINESE_CHANGES.search(clause))


def _single(words: str) -> str:
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us", "os", "is")) else words


@cache
def _frames() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((concept, english_regex(english), re.compile(chinese)) for concept, english, chinese in _FRAMES)


@cache
def _english() -> dict[str, str]:
    return {_single(word): row[0][0] for row in _rows() for word in row[0]}


@cache
def _chinese() -> dict[str, str]:
    words = {word.casefold(): row[0][0] for row in _rows() for word in row[1]}
    return dict(sorted(words.items(), key=lambda item: -len(item[0])))


def without_name(phrase: str) -> str:
    """Return what a noun phrase says beside the attribute that it names: "metrics endpoint" of "metrics endpoint port"."""
    words = phrase.casefold().split()
    named = next((n for n in range(len(words)) if _single(" ".join(words[n:])) in _english()), len(words))
    left = " ".join(words[:named])
    for name in (name for name in _chinese() if not name.isascii()):
        left = left.replace(name, " ")
    return left


def without_frames(phrase: str) -> str:
    """Return what a Chinese phrase says beside the words that give a value: nothing of "现在开的"."""
    for _, _, chinese in _frames():
        phrase = chinese.sub(" ", phrase)
    return phrase


def _rows() -> Iterator[tuple[list[str], list[str]]]:
    for row in filter(None, map(str.strip, _NOUNS.split("\n"))):
        english, _, chinese = row.partition(" = ")
        yield [word.strip() for word in english.split(",")], chinese.split()
