"""The pages, in the order of the navigation: everything that lists them reads this table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Listed:
    """One page. Its folder under `pages/` and its address follow from its title."""

    title: str
    about: str = ""  # what the overview says of it
    is_default: bool = False
    # Whether its settings have fields for numbers and sliders of Streamlit's own as it opens.
    asks_for_numbers: bool = True

    @property
    def folder(self) -> str:
        """The package that holds the page.

        >>> Listed("Kernel regression").folder
        'kernel_regression'
        """
        return self.title.lower().replace(" ", "_").replace("-", "_")

    @property
    def address(self) -> str:
        """What stands after the host in a link; nothing for the page that opens first.

        >>> Listed("Kernel regression").address
        'kernel-regression'
        """
        return "" if self.is_default else self.folder.replace("_", "-")


PAGES = (
    Listed("Overview", is_default=True, asks_for_numbers=False),
    Listed("Kernel regression", "Near keys weigh more: attention as of 1964."),
    Listed("Single head", "Similar words weigh more: scores, softmax, a mix of values."),
    Listed("Positional encoding", "What order does, and what happens without it."),
    Listed("Multi-head", "Several views of one sentence, added up to one output."),
    Listed("Learned heads", "What heads become when something is asked of them.", asks_for_numbers=False),
)
