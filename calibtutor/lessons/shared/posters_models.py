"""The poster's models in words."""

__all__ = ["LIKE", "on_the_way"]

LIKE = {"M1": "calibrated", "M2": "half of the labels set to class 0", "M3": "labels ignore predictions",
        "heteroscedastic": "calibrated", "near-deterministic": "calibrated"}  # fmt: skip


def on_the_way(strength, towards="M3"):
    """What the poster's data are, between the calibrated M1 and another, in words."""
    where = f"{strength:.0%} towards {towards}"
    return f"{where} ({LIKE[towards]})" if strength else f"calibrated (M1), {where}"
