"""Two test workers share two cores: one thread each for linear algebra, or they wait for each other.

Results do not depend on it; a reader's own notebooks use all threads.
"""

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
