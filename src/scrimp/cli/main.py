"""The command ``scrimp``: it only gathers the others."""

from __future__ import annotations

import click

from .. import __version__
from .ask import ask
from .compare import compare
from .curve import curve
from .demo import demo
from .errors import Commands, remember_debug
from .fit import fit
from .inspect import inspect
from .predict import predict
from .reprice import reprice
from .stop import stop
from .stream import stream

EPILOG = """\
\b
Exit codes:
  0    all went well
  1    something unexpected; --debug or SCRIMP_DEBUG=1 shows where
  2    bad usage or bad input; the message says which
  130  interrupted; `scrimp fit` and `stream` save what was learnt, `scrimp compare` shows it
  141  nobody read the output to its end

Tables are .csv, .csv.gz or .parquet, by their ending. Price lists are .toml or .csv.
"""


@click.group(
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="scrimp")
@click.option(
    "--debug",
    is_flag=True,
    envvar="SCRIMP_DEBUG",
    expose_value=False,
    callback=remember_debug,
    help="Show where an error comes from.",
)
def main() -> None:
    """Prediction on a budget: learn what to buy, in which order, and never overspend."""


for _command in (demo, compare, fit, predict, curve, inspect, ask, reprice, stop, stream):
    main.add_command(_command)

if __name__ == "__main__":
    main(prog_name="scrimp")
