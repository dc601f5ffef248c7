"""General words and what they stand for: who asks for an `instrument` means the text that says `piano` too.

The common members of the kinds that people name things of, and of those of software; in Chinese in one or two
characters, which the index holds as a token. The other direction finds less (bench/README.md).
"""

from collections.abc import Iterator, Mapping
from functools import cache

from memoryd.memory.search.stemming import words_of

#: the words of a kind, which also stand for each other: its members
_KINDS = """
    animal creature wildlife: dog cat bird fish horse rabbit mouse snake lizard cow pig sheep goat chicken duck bear
      wolf fox deer lion tiger elephant monkey whale dolphin;
    pet: dog puppy cat kitten hamster rabbit parrot fish goldfish turtle lizard snake bird pony;
    bird: eagle robin sparrow crow parrot owl pigeon hawk duck swan penguin canary seagull;
    insect bug: ant bee fly mosquito spider butterfly beetle moth wasp;
    fish: salmon tuna trout cod shark goldfish bass carp;
    tree: oak maple pine birch willow palm elm cedar fir;
    flower: rose tulip daisy lily sunflower orchid daffodil violet carnation lavender;
    plant: flower tree rose cactus herb fern succulent bush vegetable;
    food: pizza pasta rice bread soup salad sandwich cheese chicken beef pork fish seafood noodle sushi curry burger
      taco egg potato vegetable fruit dessert chocolate;
    meal: breakfast brunch lunch dinner supper barbecue picnic;
    dish cuisine recipe: pasta soup salad curry stew roast noodle pizza lasagna pie sushi taco chinese italian mexican
      indian japanese thai french;
    ingredient: flour sugar butter egg milk salt pepper garlic onion oil cream cheese vanilla;
    dessert sweet treat: cake pie cookie chocolate pudding brownie cupcake tart muffin candy donut;
    snack: chip cookie nut cracker popcorn fruit pretzel candy;
    drink beverage: water coffee tea juice beer wine milk soda cocktail smoothie whiskey lemonade;
    alcohol: beer wine vodka whiskey rum gin cocktail champagne;
    fruit: apple banana orange grape strawberry blueberry mango peach pear cherry lemon pineapple melon kiwi plum;
    vegetable: carrot potato tomato onion spinach broccoli pepper cabbage lettuce cucumber corn bean pea;
    meat: beef chicken pork lamb turkey bacon ham steak sausage;
    spice: salt pepper garlic cinnamon ginger basil oregano paprika chili;
    sport: football soccer basketball baseball tennis golf hockey volleyball badminton rugby cricket swimming running
      cycling surfing skiing snowboarding skating boxing wrestling climbing gymnastics;
    exercise workout fitness: run jog gym yoga swim lift weights hike cycle bike walk pilates stretch marathon;
    hobby pastime interest: read write paint draw cook bake garden knit sew hike fish photography dance sing music game
      travel collect;
    activity: hike camp swim run walk bike climb fish ski skate dance paint draw cook bake garden read yoga picnic game
      movie museum;
    outdoors: hike camp fish climb trail picnic kayak park beach mountain forest;
    art artwork: paint painting draw drawing sculpture sketch photography watercolor mural portrait exhibition gallery
      ceramic pottery collage;
    craft: knit sew crochet weave pottery woodwork quilt embroidery origami jewelry candle;
    instrument: guitar piano violin drum flute cello trumpet saxophone clarinet ukulele bass keyboard harp banjo
      harmonica;
    music: song album band concert guitar piano sing singer jazz rock pop classical rap country folk blues playlist
      melody;
    musician artist: singer guitarist pianist drummer band composer rapper painter sculptor;
    dance: ballet tango waltz salsa tap jazz ballroom swing;
    genre: rock pop jazz classical rap country folk fantasy mystery thriller romance comedy horror drama action
      adventure fiction biography;
    book literature: novel story memoir biography poetry poem fantasy mystery author trilogy;
    movie film: comedy drama thriller horror romance action documentary animation trilogy sequel;
    show series: sitcom episode season drama documentary;
    game: chess poker card board puzzle video console xbox playstation nintendo monopoly scrabble;
    toy: doll ball lego puzzle car train block teddy kite;
    vehicle: car truck bus van motorcycle bike bicycle train plane boat scooter jeep;
    transport commute: car bus train bike subway taxi plane ferry tram walk drive;
    car: toyota honda ford bmw tesla audi volkswagen mercedes jeep suv sedan;
    color colour: red blue green yellow black white purple pink orange brown gray grey;
    country nation: america usa china japan france germany italy spain england britain uk canada australia india mexico
      brazil korea russia sweden switzerland ireland greece portugal netherlands norway thailand vietnam egypt turkey;
    city town: london paris tokyo york beijing shanghai berlin rome boston chicago seattle toronto sydney barcelona
      madrid amsterdam vienna dublin dallas houston miami francisco angeles vegas;
    state: california texas florida york washington oregon colorado ohio georgia michigan massachusetts virginia alaska
      hawaii;
    continent: europe asia africa america australia;
    place location: park beach museum lake mountain city country restaurant cafe library forest island;
    nature landscape: mountain river lake ocean beach forest valley desert island waterfall hill canyon sunset;
    building: house apartment church school hospital office library museum tower hotel;
    room: kitchen bedroom bathroom garage basement attic office lounge;
    furniture: chair table sofa couch bed desk shelf dresser lamp bookcase;
    appliance: fridge refrigerator oven stove microwave dishwasher washer dryer toaster kettle vacuum;
    tool: hammer drill saw wrench screwdriver nail plier shovel;
    clothes outfit wear: shirt pants dress jacket coat shoe sock hat skirt sweater jeans shorts scarf glove tie
      suit;
    shoe footwear: boot sneaker sandal slipper heel;
    jewelry accessory: ring necklace bracelet earring watch pendant;
    fabric material: cotton wool silk linen leather polyester wood metal plastic glass stone;
    family: mother father mom dad parent brother sister son daughter husband wife kid child grandmother grandfather
      grandma grandpa uncle aunt cousin nephew niece;
    relative: uncle aunt cousin grandmother grandfather grandma grandpa nephew niece;
    parent: mother father mom dad;
    grandparent: grandmother grandfather grandma grandpa;
    child kid: son daughter baby toddler boy girl;
    sibling: brother sister twin;
    spouse partner: husband wife boyfriend girlfriend fiance;
    relationship marital romantic: single married divorced engaged dating breakup husband wife boyfriend girlfriend
      partner;
    job occupation profession career work: teacher doctor nurse engineer lawyer accountant manager designer programmer
      developer writer artist chef waiter salesman scientist mechanic hired promotion;
    company employer: google microsoft amazon apple startup firm agency;
    education: school college university degree course class graduate bachelor master phd diploma;
    degree: bachelor master phd diploma doctorate graduate;
    subject science: math biology chemistry physics history psychology geography economics sociology philosophy
      literature;
    money finance: dollar euro salary loan debt savings budget mortgage rent bank invest;
    religion faith: church christian catholic jewish muslim buddhist hindu temple mosque bible prayer;
    belief: god religion faith church spiritual;
    event occasion: party wedding birthday concert conference meeting parade festival workshop race show ceremony fair
      exhibition funeral tournament;
    celebration: birthday wedding anniversary party christmas graduation;
    holiday: christmas thanksgiving easter halloween hanukkah vacation;
    trip vacation travel: visit flight tour cruise hotel beach camping abroad;
    season: spring summer autumn fall winter;
    weather: rain snow sun sunny wind storm hot cold cloud thunder hurricane tornado;
    disaster: fire flood earthquake hurricane tornado storm;
    feeling emotion mood: happy sad angry afraid scared proud excited nervous lonely anxious grateful stressed;
    illness disease sickness: flu cold fever cancer diabetes asthma infection covid pneumonia;
    symptom: headache fever cough pain nausea rash fatigue dizzy;
    injury accident: broke broken sprain hurt crash burn cut bruise fracture;
    allergy allergic: peanut nut dust pollen dairy milk gluten shellfish egg cat penicillin;
    diet: vegan vegetarian gluten keto calorie sugar carb protein;
    health medical: doctor hospital diet sick surgery therapy medication checkup;
    medicine drug: pill antibiotic aspirin vaccine ibuprofen insulin;
    body: head arm leg hand foot knee back shoulder neck eye ear ankle;
    gender: woman man female male nonbinary transgender;
    gift present: card flower book necklace ring toy chocolate voucher;
    award achievement prize: medal trophy won certificate scholarship;
    device gadget electronics: phone laptop computer tablet camera headphone watch tv;
    phone: iphone android samsung pixel;
    crime: murder theft robbery burglary fraud arson assault;
    weapon: gun knife sword bomb rifle;
    metal: gold silver iron steel copper aluminum;
    language: english spanish french german chinese mandarin japanese italian korean portuguese russian arabic python
      java rust javascript typescript go ruby kotlin swift;
    database store: postgres postgresql mysql sqlite redis mongodb oracle mariadb duckdb dynamodb;
    editor ide: vim neovim emacs vscode intellij pycharm xcode;
    framework library: django flask fastapi react vue angular svelte rails spring;
    browser: chrome firefox safari edge;
    os platform: linux windows macos ubuntu debian ios android;
    cloud host: aws azure gcp heroku vercel netlify cloudflare;
    linter formatter: ruff eslint prettier black flake8 pylint clippy mypy;
    test: pytest jest vitest unittest junit mocha playwright cypress;
    deploy: docker kubernetes terraform ansible helm;
    queue broker: kafka rabbitmq redis celery sqs nats;
    package dependency: npm pip poetry yarn pnpm cargo conda uv;
    timezone: utc gmt est pst cet;
    宠物: 狗 猫 仓鼠 兔子 金鱼 鹦鹉 乌龟;
    动物: 狗 猫 鸟 鱼 马 牛 羊 猪 兔子 老虎 狮子 大象 猴子;
    水果: 苹果 香蕉 橙子 葡萄 草莓 芒果 西瓜 梨 桃子 樱桃;
    蔬菜: 白菜 土豆 番茄 萝卜 黄瓜 菠菜 茄子;
    食物 食品: 米饭 面条 饺子 火锅 烧烤 蛋糕 牛肉 鸡肉 海鲜 披萨;
    饮料: 咖啡 茶 果汁 牛奶 啤酒 可乐 奶茶;
    运动 体育: 跑步 游泳 足球 篮球 网球 羽毛 乒乓 瑜伽 健身 骑车 爬山;
    爱好 兴趣: 阅读 看书 画画 唱歌 跳舞 摄影 旅行 游戏 音乐 电影 钓鱼 书法;
    乐器: 钢琴 吉他 古筝 二胡 笛子 鼓;
    颜色: 红色 蓝色 绿色 黄色 黑色 白色 紫色 粉色;
    家人 亲人 亲戚 家庭: 爸爸 妈妈 父亲 母亲 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶 外公 外婆 儿子 女儿 丈夫 妻子 老公 老婆
      叔叔 阿姨 表哥 表妹;
    父母: 爸爸 妈妈 父亲 母亲;
    孩子: 儿子 女儿 宝宝;
    工作 职业 职位: 老师 教师 医生 护士 律师 工程 经理 设计 会计 程序 司机 厨师;
    学历 学位: 高中 大专 本科 硕士 博士;
    城市: 北京 上海 广州 深圳 杭州 成都 武汉 南京 西安 重庆 天津 苏州;
    国家: 中国 美国 日本 英国 法国 德国 韩国;
    节日: 春节 中秋 端午 元旦 国庆 圣诞 元宵;
    天气: 下雨 下雪 晴天 台风 阴天 刮风;
    交通 出行: 地铁 公交 开车 骑车 打车 火车 飞机 高铁;
    心情 情绪: 高兴 开心 难过 生气 紧张 焦虑 激动;
    疾病 生病: 感冒 发烧 咳嗽 糖尿;
    过敏: 花生 牛奶 海鲜 花粉 鸡蛋 青霉
"""


def members(token: str) -> tuple[str, ...]:
    """Return the tokens that stand for a kind of thing; none for a word that names no kind."""
    return _members().get(token, ())


@cache
def _members() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for word, held in _kinds():
        found.setdefault(word, {}).update(dict.fromkeys(held))
    return {word: tuple(of for of in held if of != word) for word, held in found.items()}


def _kinds() -> Iterator[tuple[str, list[str]]]:
    for kind in _KINDS.split(";"):
        named, _, held = kind.partition(":")
        words = [_token(word) for word in named.split()]
        for word in words:
            yield word, [*map(_token, held.split()), *words]


def _token(word: str) -> str:
    return words_of(word)[-1]  # of a word of two Chinese characters: the pair
