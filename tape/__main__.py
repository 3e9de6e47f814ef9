"""``python -m tape``: the command line; see ``tape.cli``."""

import sys

from tape.cli import main

sys.exit(main())
