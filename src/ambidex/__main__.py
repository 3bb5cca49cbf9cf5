"""`python -m ambidex` is `ambidex`."""

from ambidex.cli.main import main

if __name__ == "__main__":
    main()
