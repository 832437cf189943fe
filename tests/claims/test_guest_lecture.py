"""Claims of the guest lecture: what its pictures show as its plan moves them."""

from claim import claim

from calibtutor.lessons.guest_lecture import guess, scenes
from calibtutor.lessons.shared import worn as of_worn
from calibtutor.lessons.shared.verdicts import beyond


@claim(
    "guest_lecture/exercises",
    "As trained, the neural network says .11 too much on average.",
    "A map of its confidences mends this: what is left is −.005.",
    "On the cleanest quarter of the images it said .02 too much.",
    "still .02 too much",
    ".07 too little, more than chance explains: there the network is now under-confident.",
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
