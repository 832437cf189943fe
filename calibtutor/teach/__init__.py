"""The teaching elements: pictures with sliders, derivations, exercises, and the notebooks they stand in."""
