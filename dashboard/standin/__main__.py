"""`python -m dashboard.standin`: run the stand-in until Ctrl+C."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
