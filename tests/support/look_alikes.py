"""Lines without a secret that a careless rule would take for one, made at run time from a seed."""

import base64
from collections.abc import Callable, Iterator

from support.planted import ALNUM, BASE64, HEX, Dice

LOOK_ALIKES = 400


def look_alikes(seed: int) -> list[str]:
    dice = Dice(~seed)
    makers = [*_of_tokens(dice), *_of_words(dice)]
    return [makers[n % len(makers)]() for n in range(LOOK_ALIKES)]


def _of_tokens(dice: Dice) -> Iterator[Callable[[], str]]:
    def sri() -> str:
        return base64.b64encode(dice.random.randbytes(64)).decode()

    def picture() -> str:
        return base64.b64encode(b"\x89PNG\r\n\x1a\n" + dice.random.randbytes(240)).decode()

    yield lambda: f"commit {dice.run(HEX, 40)}"
    yield lambda: f"image: registry.example.org/app@sha256:{dice.run(HEX, 64)}"
    yield lambda: f"request_id={dice.uuid()} took 12 ms"
    yield lambda: f'"id": "{dice.uuid()}", "session_id": "{dice.uuid()}"'
    yield lambda: f'integrity: "sha512-{sri()}"'
    yield lambda: f"data:image/png;base64,{picture()}"
    yield lambda: f"password = os.environ['DB_PASSWORD_{dice.random.randint(1, 99)}']"
    yield lambda: f"const token = process.env.API_TOKEN_{dice.random.randint(1, 99)};"
    yield lambda: f"export API_KEY=$OTHER_KEY_{dice.random.randint(1, 99)}"
    yield lambda: f"password: ${{DB_PASSWORD_{dice.random.randint(1, 99)}}}"
    yield lambda: f"token: your-token-here-{dice.random.randint(100, 999)}"
    yield lambda: f"api_key=<your-api-key-{dice.random.randint(1, 99)}>"
    yield lambda: f"GITHUB_TOKEN=xxxxxxxxxxxxxxxx{dice.random.randint(1, 99)}"
    yield lambda: f"max_tokens: {dice.random.randint(10_000_000, 99_999_999)}"
    yield lambda: f"secret_key = settings.SECRET_KEY_{dice.random.randint(1, 99)}"
    yield lambda: f"index {dice.run(HEX, 7)}..{dice.run(HEX, 7)} 100644"
    yield lambda: f'etag: W/"{dice.run(HEX, 32)}"'
    yield lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{dice.run(BASE64, 43)} bob@laptop"
    yield lambda: f"cache key linux-node20-{dice.run(HEX, 64)}"
    yield lambda: f"https://cdn.example.org/assets/app.{dice.run(HEX, 20)}.js"
    yield lambda: f"密码在 1Password 里，编号 {dice.random.randint(1000, 9999)}"
    yield lambda: f"task-management-for-teams-of-{dice.random.randint(10, 99)}-people"
    yield lambda: f"secret_name: projects/p/secrets/db-{dice.random.randint(1, 99)}"
    yield lambda: f"-----BEGIN CERTIFICATE-----\n{dice.run(BASE64, 64)}\n-----END CERTIFICATE-----"
    yield lambda: f"KEY_EVENT_{dice.random.randint(1, 99)} = keyboard.press(key{dice.random.randint(1, 9)})"


def _of_words(dice: Dice) -> Iterator[Callable[[], str]]:
    n = dice.random.randint
    yield lambda: f"passwort policy version{n(1, 99)}, Passwort: siehe Wiki"
    yield lambda: f"Kennwort ist Pflicht ab Version{n(1, 99)}"
    yield lambda: f"mot de passe oublié ? page{n(1, 99)}"
    yield lambda: f"senha: minimo {n(8, 99)} caracteres, пароль: не короче {n(8, 99)}"
    yield lambda: f"contraseña: ver https://wiki.example.org/p{n(1, 99)}"
    yield lambda: f"パスワードは{n(1000, 9999)}年に変更、비밀번호는 {n(10, 99)}자리"
    yield lambda: f"密碼是必填，至少 {n(8, 32)} 位；密码为 {n(1000, 9999)} 位以内"
    yield lambda: f"<password></password><token>{n(1, 999)}</token>"
    yield lambda: f"<password>${{db.password{n(1, 99)}}}</password>"
    yield lambda: f"<key>CFBundleVersion{n(1, 99)}</key><string>build{n(1, 99)}</string>"
    yield lambda: f"<label for=password>Password{n(1, 99)}</label>"
    yield lambda: f"records are identified by user_{n(1000, 9999)} or by 'order-{n(1, 99)}'"
    yield lambda: f"CREATE USER app IDENTIFIED BY '${{DB_PASSWORD_{n(1, 99)}}}'"
    yield lambda: f"set -x; make build{n(1, 99)} && set +x"
    yield lambda: f"set -euo pipefail\ntoken bucket{n(1000, 9999)}x"
    yield lambda: f"setx PATH C:\\tools{n(1, 99)};C:\\bin2"
    yield lambda: f"at {n(10, 23)}:30:45:aa:bb and 5a:{dice.run(HEX, 2)}:30:45:aa:bb"
    yield lambda: f"127.0.0.1:5432:5432 and db:5432:shop:app:$PW{n(1, 99)}"
    yield lambda: f"mysql -u root -p shop{n(1, 9)} and docker run -p 8080:{n(80, 99)}80 web2"
    yield lambda: f"sshpass -p $PASS{n(1, 99)} ssh bob@db"
    yield lambda: f"{'A' * 24}{dice.run(ALNUM, 40)}/{'A' * 30}=="
    yield lambda: f"the cost per-token tier{n(100, 999)}x and a sign-in-password field{n(100, 999)}"
    yield lambda: f"- name: KEY_COUNT\n  value: {n(100, 999)}"
    yield lambda: f"- name: TOKEN_LIMIT\n  value: 40{n(10, 99)}"
