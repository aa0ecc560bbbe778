# ruff: noqa: RUF001 (several scripts are the point)
"""Words that break pages: names in several scripts, awkward values, dates long past."""

from .words import COUNTRIES, People, Words

PEOPLE: People = (  # by script
    (
        ("Anna", "James", "Olivia", "Noah", "Grace", "Liam", "Ruth", "Oscar", "Nell", "Peter"),
        ("Smith", "Walker", "O'Brien", "Turner", "McDonald", "Hughes", "Clarke", "Reid", "Ng"),
        30,
    ),
    (
        (
            "José",
            "Zoë",
            "François",
            "Łukasz",
            "Søren",
            "Jürgen",
            "Ágnes",
            "Šárka",
            "Nuño",
            "Øyvind",
        ),
        ("García Márquez", "Müller-Lüdenscheidt", "Kowalczyk", "D'Angelo", "Çelik", "Björnsdóttir"),
        30,
    ),
    (
        ("Анна", "Дмитрий", "Ольга", "Юрий", "Світлана", "Сергій"),
        ("Иванова", "Кузнецов", "Шевченко", "Щербакова", "Соловьёв"),
        10,
    ),
    (
        ("Ελένη", "Γιώργος", "Μαρία", "Νίκος"),
        ("Παπαδοπούλου", "Οικονόμου", "Χατζηδάκης", "Αγγελίδη"),
        6,
    ),
    (("伟", "芳", "秀英", "建国", "雨桐"), ("王", "李", "张", "欧阳", "陈"), 8),
    (("محمد", "فاطمة", "يوسف", "ليلى"), ("الهاشمي", "بن سعيد", "العلي", "الخطيب"), 6),
    (("נועה", "דוד", "יעל", "אברהם"), ("כהן", "לוי", "בן־דוד", "פרידמן"), 4),
    (("さくら", "健太", "ひなた"), ("佐藤", "鈴木", "高橋"), 3),
    (("आरव", "दिया", "रोहन"), ("शर्मा", "पटेल", "श्रीवास्तव"), 3),
)

COMPANY_FIRST = (
    "Nordwind",
    "Blue Harbour",
    "Müller & Söhne",
    "Côté Jardin",
    "Łódź Textile",
    "Acorn",
    "Red Brick",
    "Αιγαίο",
    "Восток",
    "Ström",
    "Old Mill",
    "青山",
    "النخيل",
    "Quinta do Vale",
    "Hearth & Stone",
    "Kőrösi",
)
COMPANY_SECOND = ("Bakery", "Logistics", "Studio", "Dental", "Hotels", "Joinery", "Media", "Farm")
COMPANY_LAST = ("Ltd", "GmbH", "S.A.", "& Co.", "LLC", "AB", "d.o.o.", "ООО")

# Values that people type and that break pages without escaping, wrapping or Unicode support.
AWKWARD = (
    "W" * 100,
    "Ł" * 99 + "ż",
    "<b>Bold & Sons</b>",
    "<script>alert('x')</script>",
    'O\'Neil "Nell" & Daughters; DROP TABLE contacts;--',
    "شركة النور ABC 123 للتجارة",
    "\u202eright to left override\u202c",
    "007 Locksmiths",
    "000123",
    "👩‍👩‍👧 Family Café ☕️",
    '=HYPERLINK("http://example.com")',
    "  leading and trailing  ",
    "null",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "Zalgo Z̷̛̤a̶͈͝l̸̰̈g̶̱͝o̴͇͛",
    "{{ name }} %s ${x}",
    "Éric (é as two code points: E\u0301ric)",
    "100 % Bio / \\ Backslash",
)

STREETS = (
    "1 High Street",
    "Calle Mayor 12, 3.º izq.",
    "Hauptstraße 7a",
    "ul. Świętokrzyska 30/63",
    "улица Ленина, 4",
    "Οδός Ερμού 15",
    "南京东路100号",
    "شارع الملك فهد ٢٥",
    "12 bis, rue de l'Église",
    "Flat 2, 10\nDowning Street",
)
CITIES = ("London", "Kraków", "Málaga", "Lyon", "Αθήνα", "Київ", "上海", "דֻבַּאי", "Tromsø")
NOTES = (
    "Prefers to be called after 16:00.",
    "Pays late but always pays.",
    "Met at the trade fair; wants the bilingual template.",
    "Do not ring the doorbell: <baby asleep>",
    "Ruft zurück. Größere Bestellung möglich ab März.",
    "Первый заказ через сайт.\nВторой по телефону.",
)
LANGUAGES = ("English", "Français", "Deutsch", "Ελληνικά", "Українська", "中文", "العربية")

HOSTILE = Words(
    people=PEOPLE,
    companies=(COMPANY_FIRST, COMPANY_SECOND, COMPANY_LAST),
    addresses=(STREETS, CITIES),
    notes=NOTES,
    deals=(
        "Website relaunch #{n}",
        "Annual care #{n}",
        "New office fit-out #{n}",
        "Brochure 2026 #{n}",
        "Licences #{n}",
    ),
    largest_deal=80_000,
    deal_step=0.01,
    tasks=(
        "Call back about the quote",
        "Send the signed contract",
        "Follow up on invoice",
        "Prepare demo",
        "Book a meeting room",
        "Check delivery <urgent>",
        "Позвонить клиенту",
        "Zadzwonić w sprawie płatności",
    ),
    templates=("Standard", "Standard with logo", "Bilingual (EN/FR)", "Détaillé"),
    items=(
        ("Consulting hour", 95.0),
        ("Design day", 640.0),
        ("Website care, monthly", 120.0),
        ("On-site visit", 180.0),
        ('Monitor 27"', 289.9),
        ("Cable CAT6, 2 m", 4.35),
        ("Kaffeemaschine «Größe XL»", 1249.0),
        ("Licence, per seat & year", 59.99),
        ("Training <half day>", 420.0),
        ("Übersetzung, je Wort", 0.14),
        ("翻译服务", 300.0),
        ("Печать буклетов, 100 шт.", 75.5),
        ("Shipping", 12.0),
        ("Discounted bundle (see notes)", 999.0),
    ),
    currencies=("EUR", "USD", "GBP", "CHF", "JPY"),
    users=(
        "Ana Pérez",
        "Bjørn Åkesson",
        "Chloé Lefèvre",
        "Дарья Иванова",
        "Ελένη Παπαδοπούλου",
        "王芳",
        "Sinéad O'Connor",
        "Yusuf Özdemir",
    ),
    tags=(
        "VIP",
        "Newsletter",
        "Late payer",
        "Prospect 2026",
        "Trade fair",
        "Do not call",
        "Реферал",
        "à rappeler",
        "重点客户",
        "<b>bold</b>",
    ),
    countries=tuple(name for name, _ in COUNTRIES if name != "Ireland"),
    brands=("House brand", "Nordlicht", "Côté Sud"),
    custom_fields={
        "Preferred language": ("choice", LANGUAGES),
        "Customer since": ("date", ()),
        "Account no.": ("text", ()),
        "Credit limit": ("number", ()),
        "How did they hear of us?": ("long_text", ()),
        "Größe": ("choice", ("S", "M", "L")),
    },
    awkward=AWKWARD,
)
