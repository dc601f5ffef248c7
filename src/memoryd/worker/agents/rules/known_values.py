"""Values that are known by name: "Postgres" is a database whoever says so, and whether or not they say "database".

A row is an attribute of `attributes` and its values, English and Chinese; one written with a capital is one only so
written ("Fish" is no fish). What names values of several attributes (Redis) stands in none.
"""

# ruff: noqa: E501  (a row is one line: broken up it reads worse)

import re
from functools import cache, lru_cache

_VALUES = """
    editor = vscode, vs code, visual studio code, vscodium, neovim, nvim, vim, emacs, doom emacs, spacemacs, helix, Zed, Cursor, sublime text, Sublime, textmate, intellij, intellij idea, pycharm, webstorm, goland, clion, rubymine, phpstorm, Rider, Fleet, Nova, kakoune, android studio, xcode, Windsurf, Positron, rstudio
    shell = zsh, nushell, powershell, pwsh, fish shell, xonsh, Fish, Elvish
    terminal = kitty, alacritty, iterm2, iterm, wezterm, ghostty, tmux, zellij, windows terminal, Warp
    browser = firefox, Chrome, chromium, Safari, Brave, Vivaldi, librewolf, zen browser
    operating system = ubuntu, fedora, debian, arch linux, Arch, nixos, macos, mac os, Windows, windows 11, windows 10, opensuse, linux mint, pop os, pop!_os, manjaro, freebsd, gentoo, wsl, rocky linux
    laptop = macbook, macbook air, macbook pro, thinkpad, xps, framework laptop, system76, Surface, zenbook, mac mini, mac studio, imac, chromebook, matebook
    window manager = i3, Sway, hyprland, gnome, kde, xmonad, Aerospace, yabai
    database = postgres, duckdb, postgresql, mysql, mariadb, sqlite, mongodb, mongo, cockroach, cockroachdb, Cassandra, scylladb, dynamodb, Oracle, sql server, mssql, tidb, oceanbase, firestore, supabase, Neon, planetscale, edgedb, couchdb, neo4j, polardb, yugabytedb, 达梦
    warehouse = bigquery, snowflake, redshift, clickhouse, databricks, doris, starrocks
    hosting = kubernetes, k8s, sagemaker, docker swarm, vertex ai, on-prem, coolify, dokku, northflank, cloudflare pages, fly.io, Fly, heroku, vercel, netlify, Render, Railway, aws, gcp, azure, hetzner, digitalocean, cloud run, ecs, eks, gke, fargate, Lambda, linode, ovh, scaleway, app engine, elastic beanstalk, nomad, bare metal, cloudflare workers, 阿里云, 腾讯云, 华为云, 火山引擎
    ci = github actions, gitlab ci, circleci, jenkins, buildkite, travis, travis ci, azure pipelines, teamcity, Drone, woodpecker, Bamboo, bitbucket pipelines, Semaphore, gh actions, tekton, 云效
    package manager = pnpm, yarn, npm, poetry, uv, pdm, pip, pip-tools, pipenv, conda, mamba, pixi, cargo, Hatch, Rye, tnpm, cnpm, bundler, Composer
    test runner = pytest, unittest, vitest, jest, mocha, jasmine, ava, rspec, minitest, junit, testng, nose2, node:test, node test runner, bun test, catch2, gtest, kotest, Spock
    end to end tests = playwright, cypress, selenium, puppeteer, testcafe, webdriverio
    orm = sqlalchemy, prisma, Drizzle, typeorm, sequelize, django orm, peewee, Hibernate, sqlc, gorm, mybatis, mybatis-plus, Diesel, kysely, mikroorm, sqlmodel
    frontend framework = react, vue, svelte, sveltekit, Angular, solidjs, Solid, nextjs, next.js, nuxt, Remix, Astro, preact, htmx, qwik, Ember
    backend framework = fastapi, flask, django, Express, nestjs, fastify, spring boot, rails, laravel, litestar, starlette, sanic, Gin, Echo, Fiber, actix, axum, hono, koa, Phoenix, quarkus, micronaut, ktor
    css framework = tailwind, bootstrap, styled-components, css modules, bulma, unocss, chakra, mui, Emotion
    state management = redux, zustand, mobx, jotai, pinia, vuex, Recoil, xstate
    logging library = loguru, structlog, logbook, winston, pino, bunyan, log4j, logback, zerolog, slog, Zap, logrus, log4j2, tracing crate
    error tracker = sentry, rollbar, bugsnag, honeybadger, airbrake, raygun, glitchtip
    monitoring = prometheus, datadog, new relic, grafana, zabbix, nagios, victoriametrics, Dynatrace, Honeycomb, signoz, 夜莺
    on-call = pagerduty, opsgenie, victorops, squadcast, incident.io, grafana oncall, rootly
    queue = rabbitmq, kafka, sqs, nats, celery, bullmq, sidekiq, pulsar, rocketmq, dramatiq, Temporal, redpanda
    issue tracker = jira, Linear, github issues, asana, trello, clickup, Shortcut, youtrack, gitlab issues, Plane, redmine, 禅道, 飞书项目, tapd
    notes = obsidian, Notion, logseq, evernote, onenote, apple notes, Roam, joplin, 语雀, 印象笔记, 有道云
    wiki = confluence, Outline, bookstack, wiki.js
    chat = slack, discord, mattermost, microsoft teams, ms teams, zulip, rocket.chat, google chat, 飞书, 钉钉, 企业微信, 企微
    design tool = figma, Sketch, penpot, adobe xd, 蓝湖, 即时设计, mastergo
    feature flags = launchdarkly, Unleash, growthbook, flagsmith, posthog, split.io, configcat
    secrets = Vault, hashicorp vault, 1password, doppler, sops, infisical, aws secrets manager, Bitwarden
    license = MIT, apache-2.0, apache 2.0, gpl, gplv3, agpl, bsd, bsd-3-clause, mpl, mpl-2.0, lgpl, unlicense
    build tool = webpack, vite, rollup, esbuild, Parcel, turbopack, rspack, gradle, maven, bazel, cmake, meson, Pants, turborepo, nx, sbt
    linter = ruff, flake8, pylint, eslint, biome, oxlint, golangci-lint, rubocop, clippy, stylelint, ktlint, detekt, checkstyle
    formatter = prettier, Black, yapf, gofumpt, dprint, clang-format, autopep8
    type checker = mypy, pyright, pytype, pyre, basedpyright
    docs tool = mkdocs, sphinx, docusaurus, vitepress, Starlight, mintlify, gitbook, readthedocs
    experiment tracker = mlflow, wandb, weights and biases, neptune, Comet, clearml
    plotting library = matplotlib, plotly, altair, seaborn, bokeh, ggplot2, echarts, recharts
    infrastructure tool = terraform, pulumi, cdk, cloudformation, opentofu, ansible, crossplane, saltstack
    api = REST, restful, graphql, grpc, trpc, json-rpc, soap, connect-rpc
    keyboard layout = qwerty, dvorak, colemak, workman, qwertz, azerty, colemak-dh, 五笔, 双拼
    instrument = guitar, bass guitar, piano, violin, viola, cello, drums, banjo, flute, trumpet, saxophone, sax, harp, accordion, clarinet, ukulele, oboe, mandolin, trombone, harmonica, 吉他, 钢琴, 小提琴, 大提琴, 二胡, 古筝, 架子鼓, 尤克里里, 贝斯, 口琴, 笛子, 琵琶, 萨克斯
    sport = climbing, bouldering, tennis, badminton, squash, football, soccer, basketball, volleyball, swimming, trail running, rowing, judo, karate, fencing, yoga, pilates, pickleball, kayaking, surfing, hockey, golf, rugby, table tennis, ping pong, padel, crossfit, hiking, archery, handball, skiing, 羽毛球, 乒乓球, 网球, 篮球, 足球, 排球, 游泳, 跑步, 攀岩, 健身, 瑜伽, 骑行, 爬山, 飞盘, 拳击, 滑雪, 徒步, 普拉提, 台球
    drink = coffee, espresso, cold brew, black tea, green tea, tea, matcha, oolong, yerba mate, cappuccino, latte, flat white, americano, cortado, rooibos, hot chocolate, kombucha, Chai, sparkling water, earl grey, jasmine tea, peppermint tea, 咖啡, 美式, 冰美式, 拿铁, 抹茶, 绿茶, 红茶, 乌龙茶, 奶茶, 可乐, 普洱, 豆浆, 龙井, 手冲, 茉莉花茶, 铁观音, 气泡水, 柠檬水, 白茶, 菊花茶, 乌龙
    pet = dog, beagle, corgi, labrador, poodle, dachshund, greyhound, tabby, husky, parrot, rabbit, hamster, tortoise, whippet, border collie, siamese, ragdoll, maine coon, golden retriever, gecko, budgie, ferret, goldfish, guinea pig, 橘猫, 布偶, 布偶猫, 英短, 柯基, 金毛, 柴犬, 泰迪, 哈士奇, 拉布拉多, 仓鼠, 鹦鹉, 边牧, 兔子, 乌龟, 狸花猫, 暹罗猫, 缅因猫, 蓝猫, 美短
    car = tesla, toyota, honda, subaru, volvo, skoda, bmw, audi, mazda, hyundai, kia, volkswagen, renault, peugeot, tacoma, rivian, prius, corolla, 特斯拉, 比亚迪, 蔚来, 理想汽车, 小鹏, 大众, 丰田, 本田, 宝马, 奔驰, 奥迪, 沃尔沃, 马自达, 吉利, 问界
    commute = cargo bike, tram, subway, metro, ferry, e-bike, scooter, bicycle, 地铁, 公交, 电动车, 骑车, 开车, 步行, 电瓶车, 高铁, 班车
    city = london, berlin, paris, madrid, lisbon, porto, barcelona, rome, milan, vienna, zurich, geneva, amsterdam, rotterdam, utrecht, brussels, ghent, antwerp, munich, hamburg, cologne, leipzig, dresden, prague, warsaw, krakow, budapest, stockholm, oslo, bergen, copenhagen, aarhus, helsinki, tampere, tallinn, riga, vilnius, dublin, edinburgh, glasgow, manchester, leeds, bristol, boston, chicago, seattle, portland, denver, austin, dallas, atlanta, pittsburgh, philadelphia, toronto, montreal, vancouver, san francisco, oakland, los angeles, san diego, new york, brooklyn, tokyo, osaka, kyoto, seoul, busan, singapore, sydney, melbourne, brisbane, auckland, wellington, bangalore, mumbai, delhi, pune, taipei, hong kong, bangkok, hanoi, lyon, marseille, toulouse, valencia, sevilla, athens, istanbul, tel aviv, cairo, nairobi, cape town, lagos, mexico city, bogota, lima, santiago, buenos aires, sao paulo, salzburg, graz, basel, nantes, gothenburg, malmo, 北京, 上海, 广州, 深圳, 杭州, 成都, 南京, 苏州, 武汉, 西安, 重庆, 天津, 厦门, 青岛, 长沙, 郑州, 合肥, 宁波, 无锡, 大连, 珠海, 昆明, 福州, 济南, 东莞, 佛山, 贵阳, 南宁, 沈阳, 哈尔滨, 香港, 台北, 新加坡, 东京, 大理
"""
#: an attribute's value by what it names only where these words do not make it another thing
_OTHERWISE = r"(?![\w/]|[-.](?=\w))"


@lru_cache(maxsize=2_048)
def named_values(matched: str) -> frozenset[tuple[str, str]]:
    """Return (attribute, value in lower case) of each known value that a text in simplified characters names."""
    found = (match[0] for match in _any_value().finditer(matched))
    return frozenset(pair for value in found if (pair := _pair(value)))


def _pair(value: str) -> tuple[str, str] | None:
    folded = value.casefold()
    attribute, capital = _known()[folded]
    return None if capital and value.islower() else (attribute, folded)


@cache
def _known() -> dict[str, tuple[str, bool]]:
    """The attribute of each value, and whether only the capital makes it one."""
    rows = (row.partition(" = ") for row in map(str.strip, _VALUES.split("\n")) if row)
    return {
        value.casefold(): (attribute, value != value.casefold())
        for attribute, _, values in rows
        for value in values.split(", ")
    }


@cache
def _any_value() -> re.Pattern[str]:
    names = sorted(_known(), key=len, reverse=True)
    latin = "|".join(re.escape(name) for name in names if name.isascii())
    chinese = "|".join(name for name in names if not name.isascii())
    return re.compile(rf"(?<![\w/.@-])(?:{latin}){_OTHERWISE}|{chinese}", re.IGNORECASE | re.ASCII)
