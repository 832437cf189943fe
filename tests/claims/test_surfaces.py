"""Claims of the pictures of surfaces that lessons share."""

import numpy as np
from claim import claim

from calibtutor.lessons.shared.surfaces import two_surfaces


@claim("shared/surfaces", "blue: opposite; darkest: 0.03")
def test_colours_of_surfaces():
    images = [each for axes in two_surfaces().figure.axes for each in axes.images]
    assert len(images) == 2
    for image in images:
        assert image.get_clim() == (-0.03, 0.03)
        blue, white, red = image.to_rgba(np.array([-0.03, 0.0, 0.03]))[:, :3]
        assert blue[2] > blue[0] and red[0] > red[2] and white.min() > 0.99
