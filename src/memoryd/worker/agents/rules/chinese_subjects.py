"""Chinese: what facts are about. Attributes with one value at a time, and how people call what they want forgotten."""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

from memoryd.worker.agents.rules.chinese_words import regex
from memoryd.worker.agents.rules.patterns import Alias

SLOTS = (
    (
        "user name",
        regex(
            r"(?:用户|我)(?:的)?(?:名字|全名)?(?:就)?(?:叫|姓|名叫)|叫用户|用户是 ?[A-Z][a-z]+(?: [\u4e00-\u9fff]{1,3})?$"
        ),
    ),
    (
        "user role",
        regex(
            r"(?:用户|我)的?(?:职称|头衔|职位|岗位)|调去|[转调]岗|转去|升任|用户.*(?:带|教).*(?:班|[高初][一二三]|年级)|用户.*(?:是|做|写|当|转正|升)[^，。]*<ROLE>"
        ),
    ),
    (
        "user place",
        regex(
            r"(?:用户|我).*(?:人在|住在|常驻|住(?!院)|base|搬到|搬去|坐标|定居|办公室|研发中心|总部|调[回到]|搬[到去回])|(?:用户|我)(?:人)?在[\u4e00-\u9fff]{2,3}(?:[，,]|$)|^(?:全家|人|家)?(?:已经)?搬[到去回]|relocate|北京时间|时区|\bCET\b"
        ),
    ),
    (
        "user employer",
        regex(
            r"(?:用户|我).*(?:上班|任职|就职|入职|跳槽|公司|供职|离职)|用户(?:现在|目前|如今|已经|主要|平时)*在[^，。]{2,12}(?:做|当|写|搞|工作)"
        ),
    ),
    (
        "operating system",
        regex(r"(?:Mac(?:Book)?|macOS|Windows|Win1[01]|Linux|Ubuntu|Debian|Fedora|苹果|台式机|WSL)"),
    ),
    ("editor", regex(r"(?:用户|我).*(?:vim|nvim|Emacs|VS ?Code|vscode|IDEA|PyCharm|GoLand|Sublime|Zed)|编辑器")),
    ("shell", regex(r"\b(?:fish|zsh|bash|PowerShell)\b|(?:用户|我).*\bshell\b")),
    ("keyboard", regex(r"(?:用户|我).*键盘")),
    ("terminal", regex(r"(?:用户|我).*终端")),
    ("browser", regex(r"(?:用户|我).*浏览器")),
    ("message queue", regex(r"消息队列|訊息佇列")),
    (
        "agent name",
        regex(
            r"叫助手|^(?:以后|就|都)*(?:叫|喊|称呼)(?!用户|我)|名字.*(?:改叫|改名|换成|叫)|改叫|助手(?:的)?(?:名字|外号|代号|昵称)?(?:以后|现在)?(?:就)?(?:叫|改叫|改名|改成|是叫)"
        ),
    ),
    ("agent role", regex(r"助手的?(?:角色|身份|职责|定位|人设)")),
    (
        "answer language",
        regex(
            r"(?:回答|回复|回覆|交流|沟通|回我|聊|解释|用|改回|都).{0,8}(?:中文|英文|简体|英语|日语|日文|粤语|繁体|德语|法语|韩语|俄语|西班牙语|葡萄牙语|意大利语|阿拉伯语)|(?:中文|英文|英语|日语|日文|粤语|繁体|德语|法语|韩语|俄语|西班牙语|葡萄牙语|意大利语|阿拉伯语).{0,6}(?:回答|回复|回覆|交流|沟通|回|聊|解释|写)"
        ),
    ),
    (
        "answer length",
        regex(
            r"展开讲|给结论|三五句|两三句|尽量详细|详细(?:一)?点|详尽|简短版|(?:保持|改成|要)(?:简短|简洁|详细)|(?:回答|回复|回覆|解释|说明|写|说|讲).{0,10}(?:简短|简洁|短|详细|啰嗦|长|细)|^(?:简短|详细)"
        ),
    ),
    ("main language", regex(r"主力语言|主写|主要写|主语言|(?:用户|我)(?:平时|现在|以后)?(?:主要|都)?写 ?[A-Z]\w*")),
    ("working hours", regex(r"(?:用户|我).*(?:[点點].{0,4}(?:到|上班|下班|才)|夜班|早班|作息)")),
    ("team size", regex(r"(?:组|团队|我们|咱们).{0,8}[一二三四五六七八九十两\d]+ ?(?:个人|人|个了|名)")),
    ("date format", regex(r"日期.{0,12}(?:格式|写成|写|用)|YYYY|年月日")),
    ("branch names", regex(r"分支(?:名|命名)|分支.{0,6}(?:开头|叫)")),
    ("default branch", regex(r"(?:默认|主)分支")),
    ("state management", regex(r"(?:Redux|Zustand|MobX|Pinia|Vuex|Recoil|Jotai)|状态管理")),
    ("charts", regex(r"(?:ECharts|AntV|G2|D3|Highcharts|Chart\.js)|图表|可视化")),
    ("blog", regex(r"博客.{0,8}(?:跑|搬|用|在|是)|(?:Hexo|Hugo|Astro|Jekyll|WordPress)")),
    ("frontend framework", regex(r"\b(?:React|Vue|Angular|Svelte|Next\.?js|Nuxt)\b")),
    ("laptop", regex(r"主力机|(?:用户|我).*(?:MacBook|ThinkPad|笔记本|台式机|新电脑)")),
    ("release day", regex(r"发版|上线日|发布日")),
    ("line length", regex(r"行宽|每行|行长|一行(?:最多|不超过)")),
    ("indentation", regex(r"缩进|缩排|空格|[一两二三四八\d] ?格|\btabs?\b")),
    ("theme", regex(r"(?:[深浅暗亮]色|黑暗|夜间)(?:模式|主题)")),
    ("framework", regex(r"框架")),
    ("deploy target", regex(r"部署|托管|上线到")),
    ("package manager", regex(r"\b(?:npm|yarn|pnpm|bun|pip|poetry|uv|conda)\b|包管理")),
    (
        "database",
        regex(r"(?:Postgre(?:s|SQL)|MySQL|MariaDB|SQLite|Mongo(?:DB)?|Oracle|TiDB|OceanBase|达梦)|数据库|资料库"),
    ),
    ("coverage", regex(r"覆盖率|门槛")),
    (
        "bug tracker",
        regex(r"(?:TAPD|Jira|JIRA|禅道|Linear|云效|ONES)|(?:缺陷|[bB]ug|工单|需求).{0,6}(?:在|提|记)"),
    ),
    ("continuous integration", regex(r"\b(?:CI|Jenkins|GitHub Actions|GitLab CI)\b|流水线")),
)

#: in the order in which they count when a wish holds words of several
ALIASES = (
    Alias(
        "health",
        regex(r"健康|身体|身子|生病|病(?:情|史|历)|吃药|用药|听力|视力|怀孕|过敏|医"),
        regex(
            r"病|药|症|过敏|手术|怀孕|抑郁|焦虑|色弱|色盲|视力|听力|耳|听不见|看不清|残|心脏|医生|住院|化疗|体检|血压|血糖"
        ),
    ),
    Alias("income", regex(r"工资|薪|收入|年终奖|挣多少"), regex(r"工资|薪|收入|年终奖|挣|赚|到手")),
    Alias("budget", regex(r"预算|报价|价钱|金额"), regex(r"预算|报价|[\d一二三四五六七八九十百] ?(?:万|亿)")),
    Alias("loan", regex(r"房贷|贷款|欠"), regex(r"房贷|贷款|月供|欠")),
    Alias("client", regex(r"客户|客戶|甲方|client"), regex(r"客户|客戶|甲方|\bclient\b")),
    Alias("vendor", regex(r"供应商|乙方|vendor"), regex(r"供应商|乙方|\bvendor\b")),
    Alias(
        "school",
        regex(r"(?<!孩子)(?<!小孩)学校|母校|校名"),
        regex(r"学校|中学|小学|大学|学院|附中|[\u4e00-\u9fff]校(?!验|对|准)"),
    ),
    Alias(
        "employer",
        regex(r"公司|单位|雇主|东家"),
        regex(r"上班|任职|就职|入职|公司|供职|用户.{0,6}在.{2,12}(?:做|当|写|搞|工作)"),
    ),
    Alias("leaving", regex(r"离职|辞职|跳槽|看机会|换工作"), regex(r"离职|辞职|跳槽|看机会|换工作|面试|裸辞|提桶")),
    Alias("unemployment", regex(r"失业|空窗|裁员|被裁"), regex(r"失业|空窗|裁|优化")),
    Alias("phone", regex(r"电话|手机号?|号码"), regex(r"电话|手机号?|\d{7,}")),
    Alias("email", regex(r"邮箱|邮件地址"), regex(r"邮箱|\S@\S")),
    Alias(
        "place",
        regex(r"城市|住址|地址|在哪|住哪|住处|家住|老家|住的地方|哪里人"),
        regex(r"人在|住在|住(?!院)|base|常驻|定居|老家|家在|(?:用户|我)(?:是|来自).{2,6}(?:人$|的$)|坐标|[省市县区镇]"),
    ),
    Alias("server", regex(r"入口|路径|内网地址|域名"), regex(r"入口|路径|https?://|[a-z]/[\w-]|域名|\d+\.\d+\.\d+")),
    Alias(
        "job",
        regex(r"职业|工作(?!日|流)|岗位|职位|行业"),
        regex(r"用户.*(?:是|做|写).*<ROLE>|用户.*(?:做|搞|在)[^，。]{2,10}的?$"),
    ),
    Alias("age", regex(r"年龄|岁数|几岁|多大|生日|年纪"), regex(r"岁|生日|年出生|[05-9]\d后|\d年的")),
    Alias(
        "family",
        regex(r"家人|家里|孩子|小孩|女儿|儿子|老婆|老公|媳妇|对象|父母|离婚|私事|感情"),
        regex(r"家人|家里|孩子|小孩|娃|女儿|儿子|老婆|老公|媳妇|对象|男友|女友|父母|爸|妈|离婚|结婚|分手"),
    ),
    Alias(
        "schedule",
        regex(r"作息|时间安排|日程|行程|休假|请假|上班时间|通勤"),
        regex(
            r"[点點](?:钟|前|后|后才|半|下班|上班)|作息|上午|下午|晚上|早上|凌晨|夜班|周[一二三四五六日末]|休假|请假|通勤|地铁"
        ),
    ),
    Alias("visa", regex(r"签证|移民|护照|visa"), regex(r"签证|移民|护照|\bvisa\b")),
    Alias("password", regex(r"密码|口令|凭证"), regex(r"密码|口令|凭证")),
    Alias("keyboard", regex(r"输入法|键位"), regex(r"双拼|全拼|五笔|输入法|键位")),
    Alias("font", regex(r"字体"), regex(r"字体|[楷宋黑]体")),
    Alias(
        "name",
        regex(r"^(?!.*(?:客户|甲方|公司|供应商|项目|系统|学校|vendor|client)).*(?:名字|姓名|姓|名$)"),
        regex(r"用户叫|名字|叫用户|用户姓|叫助手|姓"),
    ),
)
