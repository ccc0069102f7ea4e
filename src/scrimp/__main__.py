"""``python -m scrimp`` is the command ``scrimp``."""

from .cli.main import main

main()
