"""What several files of claims use."""

from calibtutor.lessons.notions.exercises import check

BANDWIDTHS = 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0
REFERENCE = {each.name: each.reference for each in check}
