"""What the lecture asks in words of its own: the worn scanner after recalibration."""

from ...teach.exercise import Checks
from ...teach.guess import Guesses

check = Checks([])  # a lecture sets none

guess = Guesses(
    worn_quarters=(
        "As trained, the neural network says .11 too much on average. A map of its confidences mends this: what is left is −.005. On the cleanest quarter of the images it said .02 too much. And now?",
        ["about right", "still .02 too much", "too little"], "too little",
        ".07 too little, more than chance explains: there the network is now under-confident. On the most worn quarter .26 too much has become .13. A map of the confidence cannot tell a clean image from a worn one with the same "
        "confidence."))
