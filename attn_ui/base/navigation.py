"""The pages in the order of the navigation; everything that lists them reads this table."""

from dataclasses import dataclass

from attn_words import N_, _


@dataclass(frozen=True)
class PageEntry:
    """One page. Its folder under `pages/` and its address follow from its first title."""

    title: str
    about: str  # its sentence on the overview and in previews of links
    is_default: bool = False
    first_title: str = ""  # if it was renamed: its address stays

    @property
    def folder(self) -> str:
        """The package that holds the page.

        >>> PageEntry("Kernel regression", "Near keys weigh more.").folder
        'kernel_regression'
        """
        return (self.first_title or self.title).lower().replace(" ", "_").replace("-", "_")

    @property
    def heading(self) -> str:
        """The title of its window.

        >>> PageEntry("Kernel regression", "Near keys weigh more.").heading
        'Kernel regression · Attention lab'
        """
        lab = _("Attention lab")
        return lab if self.is_default else f"{_(self.title)} · {lab}"

    @property
    def address(self) -> str:
        """The path after the host in a link; "" for the page that opens first.

        >>> PageEntry("Kernel regression", "Near keys weigh more.").address
        'kernel-regression'
        """
        return "" if self.is_default else self.folder.replace("_", "-")


PAGES = (
    PageEntry(
        N_("Overview"),
        N_("Attention as pictures that move: each row is a query, its weights over the keys sum to one."),
        is_default=True,
    ),
    PageEntry(N_("Kernel regression"), N_("Near keys weigh more: attention as of 1964.")),
    PageEntry(N_("Single head"), N_("Similar words weigh more: scores, softmax, a mix of values.")),
    PageEntry(N_("Positional encoding"), N_("What order does, and what happens without it.")),
    PageEntry(N_("Multi-head"), N_("Several views of one sentence, added up to one output.")),
    PageEntry(N_("Learned heads"), N_("What heads become when something is asked of them.")),
    PageEntry(
        N_("Common claims"),
        N_("What courses say of attention, measured: does it hold, and where?"),
        first_title="What courses say",
    ),
    PageEntry(
        N_("Applications"),
        N_("Translation, BERT and GPT, images, captions, speech: who asks, and who answers."),
    ),
    PageEntry(N_("Glossary"), N_("Every term by its names, and where to see it.")),
)
