"""Tokens that their provider marked: a prefix of its own, then a run of characters that no word has."""

import re

from memoryd.ipc.redaction.rule import Accept, Pattern, Rule, always, has_digit, no_example

_B = r"(?<![A-Za-z0-9_-])"  #: no part of a longer word before it
_B_ALNUM = r"(?<![A-Za-z0-9])"
_E = r"(?![A-Za-z0-9])"
_RUN = r"[A-Za-z0-9_-]"
_PEM_BODY = r"(?:[A-Za-z0-9+/=\s\\:,]|-(?!----))*"


def _token(kind: str, prefixes: str, body: str, accept: Accept = always, *, before: str = _B_ALNUM) -> Rule:
    """A rule for `prefix + body`; prefixes are separated by spaces and written as they are spelled."""
    names = prefixes.split()
    pattern = Pattern(f"{before}(?:{'|'.join(map(re.escape, names))}){body}")
    return Rule(kind=kind, literals=tuple(names), pattern=pattern, accept=accept)


_PROVIDERS = (
    _token("aws-access-key", "AKIA ASIA ABIA ACCA", rf"[A-Z0-9]{{16}}{_E}", no_example),
    _token("github", "ghp_ gho_ ghs_ ghu_ ghr_", r"[A-Za-z0-9]{30,36}", before=""),
    _token("github", "github_pat_", r"[A-Za-z0-9_]{22,255}", before=""),
    _token("gitlab", "glpat- gldt- glrt- glptt- glcbt- glsoat-", rf"{_RUN}{{20,255}}", before=""),
    _token("gitlab", "glffct- glft- glimt- glagent- gloas-", rf"{_RUN}{{20,255}}", before=""),
    _token("slack", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", r"[A-Za-z0-9%-]{10,255}", before=""),
    _token("slack", "xapp-", r"\d{1,10}-[A-Za-z0-9-]{20,255}"),
    _token("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,255}", before=""),
    _token("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", rf"\d{{16,20}}/{_RUN}{{60,80}}",
           before=""),
    _token("anthropic", "sk-ant-", rf"{_RUN}{{16,255}}", before=""),
    _token("openai", "sk-", rf"(?!ant-)(?:[a-z]{{2,8}}-)?{_RUN}{{20,255}}", has_digit, before=_B),
    _token("google", "AIza", rf"{_RUN}{{35}}", before=""),
    _token("google", "GOCSPX-", rf"{_RUN}{{20,255}}"),
    _token("google", "ya29.", r"[\w-]{20,2048}"),
    _token("stripe", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"[A-Za-z0-9]{16,255}", before=""),
    _token("npm", "npm_", r"[A-Za-z0-9]{36,255}", before=""),
    _token("pypi", "pypi-", rf"{_RUN}{{32,1024}}", has_digit, before=""),
    _token("rubygems", "rubygems_", r"[0-9a-f]{48}"),
    _token("huggingface", "hf_ api_org_", r"[A-Za-z0-9]{30,255}", before=r"(?<![A-Za-z0-9_])"),
    _token("groq", "gsk_", r"[A-Za-z0-9]{40,255}"),
    _token("xai", "xai-", r"[A-Za-z0-9]{60,255}"),
    _token("replicate", "r8_", rf"[A-Za-z0-9]{{37}}{_E}"),
    _token("perplexity", "pplx-", r"[A-Za-z0-9]{40,255}"),
    _token("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{32,64}"),
    _token("linear", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,64}"),
    _token("notion", "ntn_", r"[A-Za-z0-9]{40,60}"),
    _token("figma", "figd_ figo_", rf"{_RUN}{{36,64}}"),
    _token("postman", "PMAK-", r"[0-9a-fA-F]{24}-[0-9a-fA-F]{34}"),
    _token("newrelic", "NRAK- NRII- NRJS-", r"[A-Za-z0-9_-]{20,64}"),
    _token("grafana", "glsa_ glc_", r"[A-Za-z0-9_+/=]{32,512}"),
    _token("databricks", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_E}"),
    _token("doppler", "dp.pt. dp.st. dp.sa. dp.ct.", r"[A-Za-z0-9._-]{40,80}"),
    _token("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9._-]{32,80}"),
    _token("supabase", "sbp_ sb_secret_", r"[A-Za-z0-9_-]{30,80}"),
    _token("netlify", "nfp_", r"[A-Za-z0-9]{36,64}"),
    _token("fly", "fo1_ fm2_", r"[A-Za-z0-9_+/=-]{40,2048}"),
    _token("heroku", "HRKU-", rf"{_RUN}{{36,80}}"),
    _token("pulumi", "pul-", rf"[0-9a-f]{{40}}{_E}"),
    _token("terraform", ".atlasv1.", r"[A-Za-z0-9_=-]{60,80}", before=r"(?<=[A-Za-z0-9]{14})"),
    _token("sentry", "sntrys_ sntryu_", r"[A-Za-z0-9_+/=]{32,512}"),
    _token("atlassian", "ATATT3 ATBB", r"[A-Za-z0-9_=-]{24,255}", has_digit),
    _token("hubspot", "pat-na1- pat-eu1-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _token("square", "sq0atp- sq0csp- sq0idp-", rf"{_RUN}{{22,60}}"),
    _token("brevo", "xkeysib- xsmtpsib-", r"[0-9a-fA-F]{64}-[A-Za-z0-9]{16}"),
    _token("mailgun", "key-", rf"[0-9a-f]{{32}}{_E}", before=_B),
    _token("dynatrace", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("contentful", "CFPAT-", rf"{_RUN}{{40,64}}"),
    _token("aliyun", "LTAI", rf"[A-Za-z0-9]{{16,26}}{_E}", has_digit),
    _token("tencent", "AKID", rf"[A-Za-z0-9]{{32}}{_E}", has_digit),
    _token("age", "AGE-SECRET-KEY-1", r"[0-9A-Z]{40,64}", before=""),
    _token("vault", "hvs. hvb.", rf"{_RUN}{{24,255}}"),
    _token("docker", "dckr_pat_ dckr_oat_", rf"{_RUN}{{20,64}}", before=""),
    _token("shopify", "shpat_ shpss_ shpca_ shppa_", r"[0-9a-fA-F]{32}", before=""),
    _token("sendgrid", "SG.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _token("onepassword", "ops_", rf"{_RUN}{{80,2048}}"),
    _token("onepassword", "A3-", r"[A-Z0-9]{6}-[A-Z0-9-]{11,13}(?:-[A-Z0-9]{5}){3}"),
    _token("docker-swarm", "SWMTKN-1- SWMKEY-1-", r"[A-Za-z0-9+/-]{40,100}"),
    _token("circleci", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{22}_[0-9a-z]{40}"),
    _token("langsmith", "lsv2_pt_ lsv2_sk_", r"[0-9a-fA-F]{32}_[0-9a-fA-F]{10}"),
    _token("flutterwave", "FLWSECK- FLWSECK_TEST-", r"[0-9a-z]{12,36}(?:-X)?"),
    _token("resend", "re_", rf"[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{24}}{_E}", has_digit, before=_B),
    _token("mongodb-atlas", "mdb_sa_sk_", rf"{_RUN}{{40}}"),
    _token("bedrock", "bedrock-api-key-", r"[A-Za-z0-9+/=]{28,2048}"),
    _token("twilio", "SK", rf"[0-9a-f]{{32}}{_E}"),
)  # fmt: skip

#: the same shape again and again: the provider's mark, then at least so many letters and digits without a break
_PLAIN = (
    ("aikido", "AIK_CI_ AIK_SECRET_", 32),
    ("apify", "apify_api_", 32),
    ("bitly", "btly_", 36),
    ("buildkite", "bkaa_ bkua_", 36),
    ("cerebras", "csk-", 40),
    ("clojars", "CLOJARS_", 48),
    ("cloudflare", "cfat_ cfut_", 36),
    ("deno", "ddo_ ddp_", 34),
    ("devcycle", "dvc_server_ dvc_mobile_", 20),
    ("duffel", "duffel_live_ duffel_test_", 40),
    ("easypost", "EZAK", 50),
    ("lichess", "lip_", 20),
    ("llamaindex", "llx-", 40),
    ("nylas", "nyk_", 50),
    ("packagist", "packagist_ort_ packagist_out_ packagist_acs_ packagist_ack_", 32),
    ("persona", "persona_production_", 20),
    ("pinterest", "pina_", 24),
    ("polar", "polar_at_ polar_pat_ polar_oat_", 20),
    ("posthog", "phx_", 36),
    ("postman", "PMAT-", 20),
    ("prefect", "pnu_ pnb_", 34),
    ("ramp", "ramp_sec_", 40),
    ("razorpay", "rzp_live_ rzp_test_", 14),
    ("readme", "rdme_", 60),
    ("render", "rnd_", 24),
    ("rootly", "rootly_", 48),
    ("samsara", "samsara_api_", 28),
    ("settlemint", "sm_aat_ sm_pat_ sm_sat_", 16),
    ("shippo", "shippo_live_ shippo_test_", 36),
    ("togetherai", "tgp_v1_", 36),
    ("unkey", "unkey_", 20),
    ("valtown", "vtwn_", 24),
    ("vercel", "vck_ vca_ vcr_ vci_ vcp_", 50),
    ("wakatime", "waka_", 36),
    ("xendit", "xnd_production_", 40),
    ("zuplo", "zpka_", 28),
)

TOKENS: tuple[Rule, ...] = (
    *_PROVIDERS,
    *(_token(kind, marks, rf"[A-Za-z0-9]{{{least},255}}", has_digit, before=_B) for kind, marks, least in _PLAIN),
    Rule(
        kind="telegram", literals=(":AA",), lead=10,
        pattern=Pattern(r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,64}"),
    ),
    Rule(
        kind="twitter", literals=("A" * 19,), accept=has_digit,
        pattern=Pattern(  # its `=` stands within, in a URL as %3D; a picture has none there
            r"(?<![A-Za-z0-9+/=_-])A{19,24}(?!A)"
            r"(?:[A-Za-z0-9%]{60,160}+|[A-Za-z0-9+/]{20,80}+=[A-Za-z0-9+/]{30,80}+)(?![A-Za-z0-9+/=_-])"
        ),
    ),
    Rule(
        kind="jwt", literals=("eyJ",),
        pattern=Pattern(
            _B_ALNUM + r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,2048}"
        ),
    ),
    Rule(
        kind="private-key", literals=("-----BEGIN",),
        pattern=Pattern(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{24})"
            + _PEM_BODY
            + r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
)  # fmt: skip
