"""Pictures and guesses of five lessons, and one guess of its own, in the order of the hour."""

from types import SimpleNamespace

from .. import chance, for_whom, map_and_repair, notions, start
from . import exercises

scenes = SimpleNamespace(four_models=start.scenes.four_models, reveal_reliability=start.scenes.reveal_reliability,
                         perfect_diagonal=notions.scenes.perfect_diagonal, is_that_bad=chance.scenes.is_that_bad,
                         redraw_what=chance.scenes.redraw_what, worn_scanner=for_whom.scenes.worn_scanner,
                         repair=map_and_repair.scenes.repair)
guess = SimpleNamespace(near_seventy=start.guess.near_seventy, as_t_grows=notions.guess.as_t_grows,
                        is_point_01_bad=chance.guess.is_point_01_bad, redraw_what=chance.guess.redraw_what,
                        worn_quarters=exercises.guess.worn_quarters)
