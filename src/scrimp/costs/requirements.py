"""Which items an item requires, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def closures_of(
    requires: Sequence[Sequence[int]], names: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Return each item with all it requires, ancestors first.

    Raises
    ------
    ValueError
        If items require each other in a cycle, or too many others; `names` name them.
    """
    done: dict[int, tuple[int, ...]] = {}
    steps = 0
    for item in _ancestors_first(requires, names):
        needs = requires[item]
        steps += sum(len(done[r]) for r in needs)
        check_requirements(steps, len(requires))
        done[item] = (*dict.fromkeys(i for r in needs for i in done[r]), item)
    return tuple(done[item] for item in range(len(requires)))


def _ancestors_first(requires: Sequence[Sequence[int]], names: Sequence[str]) -> Iterator[int]:
    """Yield all items, each after those it requires; without recursion, in linear time."""
    done: set[int] = set()
    for item in range(len(requires)):
        path = {} if item in done else {item: iter(requires[item])}
        while path:
            current = next(reversed(path))
            waiting = next((r for r in path[current] if r not in done), None)
            if waiting is None:
                done.add(current)
                del path[current]
                yield current
            elif waiting in path:
                cycle = [*list(path)[list(path).index(waiting) :], waiting]
                text = " -> ".join(repr(names[i]) for i in cycle)
                raise ValueError(f"requires runs in a cycle: {text}. Remove one of these links.")
            else:
                path[waiting] = iter(requires[waiting])


def check_requirements(total: int, n: int) -> None:
    """Refuse items that require so many others that their closures would fill the memory."""
    most = 2_000_000 + 64 * n
    if total > most:
        raise ValueError(
            f"the items require each other more than {most} times over. Merge items that are "
            "always bought together."
        )
