"""`python -m mtassay` is the command `mtassay`."""

from mtassay.cli.main import main

if __name__ == "__main__":
    main()
