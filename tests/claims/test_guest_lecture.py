"""Claims of the guest lecture: what its pictures show as its plan moves them."""

from claim import claim
from scipy.stats import binom
from worlds_of_calibration_tests import rejected

from calibtutor.lessons.chance import simulations as sims_03
from calibtutor.lessons.guest_lecture import guess, scenes
from calibtutor.lessons.shared import worn as of_worn
from calibtutor.lessons.shared.pvalues import by_chance, cries_wolf, steps
from calibtutor.lessons.shared.verdicts import beyond


@claim(
    "lectures/01_guest_lecture",
    "Labels alone give 10 %, which chance explains: counted on 100 data sets, 5 % shows as 1 % to 10 % in 98 of 100 "
    "cases, the grey stripe.",
    "They stay in the grey at every stop of the sliders, and give 4.6 % in all.",
)
def test_labels_alone_stay_in_the_grey():
    sets = sims_03.REDRAW_SETS
    low, high = by_chance(sets)
    assert (sets, low, high) == (100, 0.01, 0.1)
    assert round(binom.cdf(10, sets, 0.05) - binom.cdf(0, sets, 0.05), 2) == 0.98
    stops = [(n, cells) for n in sims_03.REDRAW_SIZES for cells in sims_03.REDRAW_CELLS]
    labels = [sims_03.redrawn(*stop)[1] for stop in stops]
    assert len(stops) == 9 and not any(cries_wolf(*steps(each), sets) for each in labels)
    shares = [rejected(each) for each in labels]
    assert all(low <= share <= high for share in shares) and round(sum(shares) / 9, 3) == 0.046
    shown = scenes.redraw_what()
    shown.set(cells=10)  # as the plan moves it
    assert "labels only 10%" in shown.finding.headline


@claim(
    "guest_lecture/exercises",
    "As trained, the neural network says .11 too much on average.",
    "A map of its confidences mends this: what is left is −.005.",
    "On the cleanest quarter of the images it said .02 too much.",
    "still .02 too much",
    ".07 too little, more than chance explains: there the network is now too modest.",
    "On the most worn quarter .26 too much has become .13.",
)
def test_the_lecture_asks_about_the_quarters_that_it_shows():
    said = {}
    for isotonic in (False, True):
        hit, p, wear, _ = of_worn.scans("neural network", isotonic)
        miss, error = of_worn.quarters(hit, p, wear)
        said[isotonic] = [round(float((p - hit).mean()), 3), *(round(float(miss[k]), 2) for k in (0, 3))]
    assert said == {False: [0.109, 0.02, 0.26], True: [-0.005, -0.07, 0.13]}
    assert beyond(miss[0], error[0])
    shown = scenes.worn_scanner()
    assert shown.values == {"model": "neural network", "isotonic": True}
    assert [each.get_text() for each in shown.artists["numbers"]][::3] == ["−0.07", "+0.13"]
    assert guess.worn_quarters().answer == "too little"
