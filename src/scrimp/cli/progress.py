"""Progress of a command on stderr, fed by the library's events."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def progress_bar(wanted: bool | None, only: str | None = None) -> Iterator[None]:
    """Show what is emitted inside the block.

    Parameters
    ----------
    wanted : bool, optional
        True draws a bar and False shows nothing. None draws a bar on a terminal, and elsewhere
        writes a line every few seconds.
    only : str, optional
        The one task to show; by default each in its turn.
    """
    from ..runtime.events import reporting_compilation
    from ..runtime.progress_display import occasional_lines, progress_shown, terminal_bar

    on_terminal = sys.stderr.isatty()
    display = partial(terminal_bar, wanted) if wanted or on_terminal else occasional_lines
    with progress_shown(None if wanted is False else display, only), reporting_compilation():
        yield
