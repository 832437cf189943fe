"""What functions remember, and how a test makes them forget it."""

import sys


def forget(*rooms):
    """Empty the caches of all functions in these modules and in those below them."""
    below = tuple(f"{room}." for room in rooms)
    found = [module for name, module in sys.modules.items() if name in rooms or name.startswith(below)]
    for function in [each for module in found for each in vars(module).values() if hasattr(each, "cache_clear")]:
        function.cache_clear()
