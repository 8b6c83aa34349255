"""The command `regard`: a table of commands, each loaded when it is named."""

import signal
import sys
import warnings
from importlib import import_module

import click

from regard import __version__
from regard.cli.slow_path import tell_slow_path
from regard.cli.streams import whole_output
from regard.errors import RegardError, TorchMissing

COMMANDS = {
    "ablate": "Train with one part changed at a time, and compare.",
    "align": "Tell which words of two texts belong together.",
    "answer": "Answer questions about a story, and show which sentences were read.",
    "bench": "Measure how fast this machine writes, beside the peers installed.",
    "check": "Look for faults in files of text.",
    "circuits": "Find heads that look back, at duplicates, at repeats or at a sink.",
    "classify": "Label texts, or their tokens.",
    "convert": "Write a checkpoint as safetensors, or for another program.",
    "curves": "Draw the curves of training runs.",
    "diff": "Compare where models look: two models, two texts, or a training.",
    "doctor": "Say what is installed and what runs.",
    "draw": "Draw the architecture of a model.",
    "embed": "Turn texts into vectors.",
    "evaluate": "Measure a model: BLEU, perplexity, accuracy.",
    "fill": "Guess words that were left out.",
    "generate": "Continue texts.",
    "heads": "Judge the heads of a model: which of them matter.",
    "learn": "Learn what attention is, in the browser.",
    "lens": "Show what a model would say after each layer.",
    "mask": "Draw who may look at whom.",
    "memories": "Show what triggers feed-forward units, and what they promote.",
    "models": "List models: what for, how large, how good; or clear caches.",
    "prune": "Take the weakest heads out of a model.",
    "see": "Look inside a model in the browser.",
    "serve": "Answer over HTTP: LibreTranslate, DeepL, OpenAI.",
    "train": "Train a model as a recipe says, or resume.",
    "translate": "Translate texts, files and pipes, line by line.",
}
"""What each command does, told without loading it: it is the function of its name, in the file of its name."""


class Commands(click.Group):
    """A group that reads COMMANDS, so that one command never waits for what another imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return getattr(import_module(f"regard.cli.{cmd_name}"), cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="regard", message="%(prog)s %(version)s")
def regard() -> None:
    """Attention you can see: train, run and look inside attention models."""


def main() -> None:
    """Run the command line; what the user can put right is one line on stderr, and so is a warning.

    Exit codes: 1 for that, 2 for wrong usage, 130 for Ctrl-C, 143 for kill, as a shell has them; click itself sees to
    a closed pipe.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    tell_slow_path()
    usual, warnings.formatwarning = warnings.formatwarning, lambda message, *_, **__: f"regard: {message}\n"
    try:
        with whole_output():
            status = regard.main(prog_name="regard", standalone_mode=False) or 0
        sys.exit(status)
    except (RegardError, MemoryError) as error:
        click.echo(f"regard: {error or 'out of memory'}", err=True)
        sys.exit(1)
    except ModuleNotFoundError as error:
        missing = TorchMissing.of(error, "this command needs it")
        if missing is error:
            raise
        click.echo(f"regard: {missing}", err=True)
        sys.exit(1)
    except OSError as error:  # a file or folder that nobody could use, wherever it was first touched
        click.echo(f"regard: {describe(error)}", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(128 + signal.SIGINT)
    finally:
        warnings.formatwarning = usual
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # whoever is leaving already need not be told so


def describe(problem: OSError) -> str:
    """What is wrong with which file, in one line."""
    name = f"{problem.filename}: " if problem.filename is not None else ""
    return f"{name}{problem.strerror or problem}"
