"""Labels and predictions as hypothesis draws them, with what is easily got wrong: zeros, ones, ties and equal rows."""

from hypothesis import settings
from hypothesis import strategies as st

PROPERTY = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@st.composite
def labelled(draw, classes=(1, 4), max_rows=12):
    """(y, p) as lists; one class stands for scores."""
    d, n = draw(st.integers(*classes)), draw(st.integers(2, max_rows))
    y = draw(st.lists(st.integers(0, max(d, 2) - 1), min_size=n, max_size=n))
    if d == 1:
        score = st.one_of(st.integers(0, 10).map(lambda k: k / 10), st.floats(0, 1))
        return y, draw(st.lists(score, min_size=n, max_size=n))
    weight = st.one_of(st.integers(0, 4), st.floats(1e-6, 3))
    weights = st.lists(weight, min_size=d, max_size=d).filter(any)
    return y, [[v / sum(w) for v in w] for w in draw(st.lists(weights, min_size=n, max_size=n))]
