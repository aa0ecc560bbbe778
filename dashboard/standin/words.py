"""What the sample records of a workspace are made of."""

from dataclasses import dataclass

# Of every workspace: name and prefix of its telephone numbers.
COUNTRIES = (
    ("United States", "1"),
    ("United Kingdom", "44"),
    ("France", "33"),
    ("Germany", "49"),
    ("Spain", "34"),
    ("Poland", "48"),
    ("Greece", "30"),
    ("Ukraine", "380"),
    ("Israel", "972"),
    ("United Arab Emirates", "971"),
    ("India", "91"),
    ("China", "86"),
    ("Japan", "81"),
    ("Türkiye", "90"),
    ("Portugal", "351"),
    ("Sweden", "46"),
    ("Ireland", "353"),
)
SOURCES = ("Referral", "Cold call", "Website", "Trade fair", "Newsletter", "Walk-in", "")

People = tuple[tuple[tuple[str, ...], tuple[str, ...], int], ...]


@dataclass(frozen=True)
class Words:
    """The words of a firm, and whether its records are as a firm's may be or break pages.

    `people` are given names and family names that go together, and their share of all people.
    A company's name is one word of each of `companies`, an address one of each of `addresses`.
    `items` have a price, `custom_fields` a type and the choices of a choice.
    """

    people: People
    companies: tuple[tuple[str, ...], ...]
    addresses: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    deals: tuple[str, ...]  # {n} is the number of the deal
    largest_deal: int
    deal_step: float
    tasks: tuple[str, ...]
    templates: tuple[str, ...]
    items: tuple[tuple[str, float], ...]
    currencies: tuple[str, ...]
    users: tuple[str, ...]
    tags: tuple[str, ...]
    countries: tuple[str, ...]
    brands: tuple[str, ...]
    custom_fields: dict[str, tuple[str, tuple[str, ...]]]
    awkward: tuple[str, ...] = ()
    plausible: bool = False
