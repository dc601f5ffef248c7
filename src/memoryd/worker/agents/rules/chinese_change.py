"""Chinese: where a sentence speaks of a value that holds no longer, in front of it and behind it.

Group `old` is the place where the value stands, wider than the value: which words of it are one, memory tells.
"""

# ruff: noqa: E501  (a pattern is one line: broken up it reads worse)

from memoryd.worker.agents.rules.chinese_words import regex

_NEW = r"换|改|迁|搬|切|升|转|调|挪|到|去了|离职|离开|辞职|毕业"
_SPAN = r"(?P<old>[^，。；;！!？?、]{1,30}?)"
_LEAVING = (
    r"(?:不再|不用|不要|不是|不走|不在|不做|不跑|不看|不叫|不上|不写|(?<![特区类级个差分])别(?![名的人])|弃用|放弃|取代|替代|替换|代替|而不是|而非|离开|告别"
    r"|抛弃|卸(?:载|了|掉)|停用|退掉|淘汰|扔掉)"
)
_ENDED = (
    r"(?:(?:上周|昨天|已经|都|全|就|早|也|月底|今天|马上|即将|正式|合同|那边|那个|这个|账号)*"
    r"(?:不用|不要|不续|不走|不做|不再|不好用|停|下线|取消|作废|退役|归档|废弃|弃用?|太[贵慢重卡难老]|拆|废|戒|卸|删|卖|扔|锁|关[掉停了]|换掉|没了|坏了"
    r"|挂了|死了|到期|过期|被占|被[^，。]{0,6}占|给别人|让给|归别人|[喝看听用吃玩写打]腻|[打用看住喝穿写]不(?:惯|下去|习惯)|那[条套个]))"
)

NEWS = regex(
    r"[换改迁搬切挪转变升降调]|新|最近|现在|如今|目前|以后|今后|往后|从现在|从今|今天起|[月周天年]起|起用|扩|跳到|入职|跳槽|不再|不用|别再|[-=]+>|→"
)
OLD_VALUES = (
    regex(rf"[从由自] ?{_SPAN} ?(?:{_NEW})"),
    regex(
        rf"{_LEAVING}(?:了|再|把|给我|使用|用|跑|写|在|住|叫我?|称呼我|做|喝|走|看|上)* ?{_SPAN}(?=[，。；;！!？?]|了|$|的|{_NEW})"
    ),
    regex(rf"把 ?{_SPAN} ?(?:换|改|替|迁|撤|下|停|删|卸)"),
    regex(rf"(?:^|[，。；;] ?)(?:说起来)?{_SPAN} ?{_ENDED}"),
    regex(r"(?:^|[，。；;：:] ?)(?P<old>[^，。；;：:]{1,30}?) ?(?:[-=]+>|→)"),
    regex(
        r"(?:^|[，。；;] ?)(?P<old>[A-Za-z][^，。；;：:\u4e00-\u9fff]{1,30}?) ?(?:改成|改为|换成|换为|换到|迁到|切到|升级到)"
    ),
    regex(r"[换改迁切升转]\w{0,2} ?(?P<old>[^，。；;]{1,20}?) ?为"),
)
