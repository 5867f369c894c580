"""The command `mtassay`, also as `python -m mtassay`: it hears Ctrl-C before anything large is loaded."""

import gc
import sys
from typing import NoReturn

from mtassay.app.cli.interruption import CTRL_C, tell_bug


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    code: object = 0
    # Nearly all that a command makes lives to its end: looking for cycles at every 700th object costs 5 %.
    gc.set_threshold(100_000, 20, 20)
    try:
        CTRL_C.catch()
        from mtassay.app.cli.main import main as run

        try:
            run()
        finally:
            CTRL_C.ignore()
    except KeyboardInterrupt:
        CTRL_C.end()
    except SystemExit as done:
        code = done.code
    except BaseException as error:
        if not CTRL_C.is_pressed:
            code = tell_bug(error)
    if CTRL_C.is_pressed:
        CTRL_C.end()
    sys.exit(code)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
