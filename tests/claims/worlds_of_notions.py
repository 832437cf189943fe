"""What several files of claims use."""

import numpy as np

from calibtutor.lessons.bets_and_kernels.exercises import check as check_04
from calibtutor.lessons.bets_and_kernels.games import MISSED_BY, SAID
from calibtutor.lessons.notions.exercises import check as check_01

BANDWIDTHS = 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0
REFERENCE = {each.name: each.reference for check in (check_01, check_04) for each in check}


def the_game():
    p = np.array(SAID)
    return p, p + np.array(MISSED_BY)
