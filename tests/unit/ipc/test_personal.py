"""Personal data is masked when asked for: recall and precision over made-up people and what only looks like them."""

import os
import random
import re
from collections.abc import Callable, Iterator

import pytest

from memoryd.ipc.redaction import configure, find, redact
from memoryd.ipc.sanitise import sanitise

SEED = int(os.environ.get("MEMORYD_SEED") or 20_261_130)
EACH = 40
dice = random.Random(SEED)


@pytest.fixture
def masking() -> Iterator[None]:
    configure(masks_pii=True)
    yield
    configure(masks_pii=False)


def digits(count: int) -> str:
    return "".join(dice.choices("0123456789", k=count))


def luhn(body: str) -> str:
    doubled = [int(c) * (2 - n % 2) for n, c in enumerate(reversed(body))]
    return body + str(-sum(d - 9 if d > 9 else d for d in doubled) % 10)


def identity_card(*, valid: bool = True) -> str:
    born = f"{dice.randint(1950, 2010)}{dice.randint(1, 12):02}{dice.randint(1, 28):02}"
    body = f"{dice.choice(['110101', '310115', '440305', '510104'])}{born}{digits(3)}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = "10X98765432"[sum(int(c) * w for c, w in zip(body, weights, strict=True)) % 11]
    return body + (check if valid else dice.choice([c for c in "0123456789" if c != check]))


def spaced_identity_card() -> str:
    card = identity_card()
    return f"{card[:6]} {card[6:14]} {card[14:]}"


def identity_card_with_x() -> str:
    return next(card for card in iter(identity_card, "") if card.endswith("X"))


def bank_card() -> str:
    return luhn((dice.choice(["4", "53", "6222"]) + digits(15))[:15])


def union_pay_card() -> str:
    return spaced(luhn("6217" + digits(14)))


def american_express() -> str:
    card = luhn("37" + digits(12))
    return f"{card[:4]} {card[4:10]} {card[10:]}"


def iban(country: str, body: str) -> str:
    check = 98 - int("".join(str(int(c, 36)) for c in f"{body}{country}00")) % 97
    return f"{country}{check:02}{body}"


def spaced(text: str, between: str = " ") -> str:
    return between.join(re.findall(".{1,4}", text))


def email() -> str:
    user = dice.choice(["zhang.san", "mary_lee", "k.o'neil"[:3] + "x", "dev+news", "a1b2"]) + digits(2)
    return f"{user}@{dice.choice(['qq.com', 'mail.lantern.io', 'uni-bonn.de', '163.com'])}"


def mobile(between: str = "") -> str:
    number = f"1{dice.choice('3456789')}{digits(9)}"
    return between.join((number[:3], number[3:7], number[7:]))


def area() -> str:
    """Three digits that begin a number or an area of North America."""
    return str(dice.randint(200, 989))


def london() -> str:
    return f"20 7{digits(3)} {digits(4)}"


#: kind -> how people write it -> one made up
PEOPLE: dict[str, dict[str, Callable[[], str]]] = {
    "email": {"name@host": email},
    "phone": {
        "13812345678": mobile,
        "138 1234 5678": lambda: mobile(" "),
        "138-1234-5678": lambda: mobile("-"),
        "+86 13812345678": lambda: f"+86 {mobile()}",
        "+86-138-1234-5678": lambda: f"+86-{mobile('-')}",
        "86 138 1234 5678": lambda: f"86 {mobile(' ')}",
        "0086 138 1234 5678": lambda: f"0086 {mobile(' ')}",
        "(021) 6234 5678": lambda: f"(021) 6{digits(3)} {digits(4)}",
        "（0571）87654321": lambda: f"（0571）8{digits(7)}",
        "010-62345678": lambda: f"010-6{digits(7)}",
        "021-62345678-8012": lambda: f"021-6{digits(7)}-8{digits(3)}",
        "0755 2654321": lambda: f"0755 2{digits(6)}",
        "(415) 867-5309": lambda: f"({area()}) {area()}-{digits(4)}",
        "415-867-5309": lambda: f"{area()}-{area()}-{digits(4)}",
        "415.867.5309": lambda: f"{area()}.{area()}.{digits(4)}",
        "1-415-867-5309": lambda: f"1-{area()}-{area()}-{digits(4)}",
        "+1 (415) 867-5309": lambda: f"+1 ({area()}) {area()}-{digits(4)}",
        "+14158675309": lambda: f"+1{area()}{area()}{digits(4)}",
        "+44 20 7946 0958": lambda: f"+44 {london()}",
        "(+86)13812345678": lambda: f"(+86){mobile()}",
        "+44 (0)20 7946 0958": lambda: f"+44 (0){london()}",
        "020 7946 0958": lambda: f"0{london()}",
        "0049 30 1234567": lambda: f"0049 30 {dice.randint(2, 9)}{digits(6)}",
        "0044 20 7946 0958": lambda: f"0044 {london()}",
        "+49 (30) 1234567": lambda: f"+49 (30) {digits(7)}",
    },
    "id-card": {"18 digits": identity_card, "with X": identity_card_with_x, "6 8 4": spaced_identity_card},
    "bank-card": {
        "16 digits": bank_card,
        "4 4 4 4": lambda: spaced(bank_card()),
        "4-4-4-4": lambda: spaced(bank_card(), "-"),
        "4 4 4 4 3": union_pay_card,
        "4 6 5": american_express,
    },
    "iban": {
        "DE89 3704 0044 0532 0130 00": lambda: spaced(iban("DE", digits(18))),
        "DE89370400440532013000": lambda: iban("DE", digits(18)),
        "GB82 WEST 1234 5698 7654 32": lambda: spaced(iban("GB", f"WEST{digits(14)}")),
        "FR76 3000 6000 0112 3456 ...": lambda: spaced(iban("FR", digits(23))),
    },
}
FRAMES = ("reach me: {}", "{}", "我的联系方式是{}，谢谢", '{{"contact": "{}"}}', "call {} or write.", "{}\n", "（{}）")
LOOK_ALIKES: tuple[Callable[[], str], ...] = (
    lambda: f"commit {dice.randbytes(20).hex()}",
    lambda: f"took {digits(13)} ns at {dice.randint(1_600_000_000, 1_900_000_000)}",
    lambda: f"order 4{digits(14)}0 of 18{digits(4)}.{digits(5)}",
    lambda: f"id {identity_card(valid=False)}",
    lambda: f"git@github.com:lantern/app-{digits(3)}.git",
    lambda: f"https://user@example.org/{digits(4)}",
    lambda: f"import numpy as np  # pip install torch@{digits(1)}.{digits(1)}",
    lambda: f"@pytest.mark.parametrize('n', [{digits(5)}])",
    lambda: f"diff +{digits(4)} -{digits(4)} lines, +12.5 %",
    lambda: f"2026-11-{dice.randint(10, 28)} 10:{dice.randint(10, 59)}:07.{digits(6)}",
    lambda: f"port 13{digits(3)}, pid 1{digits(6)}, 192.168.1.{dice.randint(1, 254)}",
    lambda: f"uuid {dice.randbytes(4).hex()}-1234-4abc-8def-{digits(12)}",
    lambda: f"0x13{digits(9)}ff and build-13{digits(9)}",
    lambda: f"someone{digits(2)}@example.com",
    lambda: f"version {digits(2)}.{digits(3)}.{digits(4)}, was v1.{digits(2)}.{digits(3)}",
    lambda: f"{dice.randint(100, 255)}.{dice.randint(100, 255)}.{dice.randint(100, 255)}.{dice.randint(100, 255)}:8443",
    lambda: f"issue #{digits(10)}, PR {digits(4)}-{digits(2)}",
    lambda: f"{area()} {digits(3)} {digits(3)} bytes of {digits(3)},{digits(3)},{digits(3)}",
    lambda: f"from 2026-11-{dice.randint(10, 28)} to 20261{digits(3)}, 30.11.2026, 11/30/2026",
    lambda: f"chmod 0644, exit 00{digits(1)}, row 000{digits(7)}, seq 00{digits(6)}",
    lambda: f"2026-11-30T08:00:00+08:00 and UTC+0{digits(1)}00, GMT-1",
    lambda: f"sha256:{dice.randbytes(32).hex()} {dice.randbytes(6).hex().upper()}",
    lambda: f"{spaced(iban('DE', digits(18)))[:-1]}{dice.choice('XY')} is none",
    lambda: f"AB{digits(2)} {digits(4)} {digits(4)} {digits(4)}, SKU DE{digits(10)}",
    lambda: f"lines {digits(3)}-{digits(3)}, columns {digits(2)}-{digits(2)}, {digits(3)}x{digits(4)}",
    lambda: f"0x{digits(8)}, 1e{digits(2)}, {digits(3)}.{digits(6)}s, {digits(4)} {digits(4)} {digits(4)}",
    lambda: f"{digits(2)}0 {digits(2)}0 {digits(3)}0 pixels, 300-400-{digits(3)}0, 17000000000",
    lambda: f"ISBN 978-7-111-{digits(5)}-{digits(1)}, RFC {digits(4)}",
    lambda: f"+{dice.randint(1, 9)} 000 000 rows, +{digits(3)}, {digits(2)}+{digits(2)}",
)


def test_people_are_masked_and_numbers_stay(masking: None) -> None:
    print(f"seed {SEED}")
    missed, number = list[str](), 0
    for kind, forms in PEOPLE.items():
        for form, make in forms.items():
            texts = [FRAMES[n % len(FRAMES)].format(make()) for n in range(EACH)]
            lost = [text for text in texts if not masked_whole(kind, redact(text))]
            print(f"{kind:10} {form:28} recall {1 - len(lost) / EACH:.2f} {lost[:2] or ''}")
            missed, number = [*missed, *lost], number + EACH
    wrong = [text for _ in range(EACH) for make in LOOK_ALIKES if find(text := make())]
    found = number - len(missed)
    recall, precision = found / number, found / (found + len(wrong))
    print(f"{number} of people: recall {recall:.3f}; {EACH * len(LOOK_ALIKES)} look-alikes, {len(wrong)} hit:"
          f" precision {precision:.3f} {wrong[:5]}")  # fmt: skip
    assert recall >= 0.95
    assert precision >= 0.90


def masked_whole(kind: str, shown: str) -> bool:
    """Whether it was found as what it is, and not in part."""
    rest = shown.replace(f"[pii:{kind}]", "")
    return rest != shown and not any(c.isdigit() for c in rest)


@pytest.mark.parametrize("kind", PEOPLE)
def test_nothing_of_it_is_left(kind: str, masking: None) -> None:
    value = next(iter(PEOPLE[kind].values()))()
    shown = sanitise(f"it is {value}.")
    assert shown == f"it is [pii:{kind}]."
    assert sanitise(shown) == shown


@pytest.mark.parametrize("kind", PEOPLE)
def test_by_default_it_is_kept(kind: str) -> None:
    text = f"reach me: {next(iter(PEOPLE[kind].values()))()}"
    assert sanitise(text) == text
