"""Scenes of notebook 05: what local calibration is, where it fails, and who notices."""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.markers import MarkerStyle
from scipy.stats import binom

from ...binning import reliability_curve
from ...plots import (
    CHANCE_BARS,
    CHOICE,
    FEW,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    Ghost,
    ReliabilityDiagram,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared.maps import SIGNED, Heatmap
from ..shared.pvalues import by_chance, steps
from ..shared.verdicts import beyond, capital, points, signed, written
from . import simulations as sims
from .games import plant_an_error

__all__ = [
    "downstream",
    "null_race",
    "plant_an_error",
    "power_in_many_dimensions",
    "repair",
    "two_kernels",
    "where_wrong",
    "which_rows",
    "worn_scanner",
]

QUARTERS = ("cleanest", "second", "third", "most worn")


def on_average_and_worst(overall, error, miss, errors):
    """The miss of all images and the largest of a quarter, as far as they are beyond two standard errors."""
    off = beyond(overall, error)
    average = f"{points(overall)} on average" if off else "About right on average"
    if not beyond(miss, errors).any():
        return f"{average}, and no quarter is off beyond chance"
    worst = int(np.argmax(np.where(beyond(miss, errors), np.abs(miss), 0)))
    known = off and overall * miss[worst] > 0
    return f"{average}, {points(miss[worst]).split()[0] if known else points(miss[worst])} in the {QUARTERS[worst]} quarter"


def worn_scanner():
    """A model that is calibrated on average, and its miss in each quarter of the images."""

    def setup(fig):
        for name in sims.CAST:  # read before the first click, not at it
            sims.scans(name, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        diagram = ReliabilityDiagram(fig, spec=columns[0], cases="images")
        axes = panel(fig, columns[1], xlim=(-0.55, 3.55), ylim=(-0.72, 0.72), xticks=range(4), yticks=[-0.5, 0, 0.5],
                     xlabel="quarter of the images, by noise", ylabel="miss: said − happened")  # fmt: skip
        axes.set_xticks(range(4), ["cleanest", "2nd", "3rd", "most worn"])
        axes.set_yticks([-0.5, 0, 0.5], ["−0.5", "0", "0.5"])
        region(axes, -0.45, 0.66, "says too much", ha="left")
        region(axes, -0.45, -0.66, "says too little", ha="left")
        reference(axes, [-0.55, 3.55], [0, 0])
        return {"diagram": diagram, "band": chance(axes), "stems": misses(axes, lw=9),
                "dots": estimate(axes, in_layout=False), "numbers": [number(axes, offset=(0, 0), ha="center") for _ in range(4)]}  # fmt: skip

    def update(artists, model="neural network", isotonic=True):
        hit, confidence, wear, _ = sims.scans(model, isotonic)
        miss, error = sims.quarters(hit, confidence, wear)
        artists["diagram"].update(reliability_curve(hit, confidence, n_bins=10), model=model)
        artists["band"].set_verts([[(k - 0.3, -e), (k + 0.3, -e), (k + 0.3, e), (k - 0.3, e)]
                                   for k, e in enumerate(2 * error)])  # fmt: skip
        off = beyond(miss, error)
        artists["stems"].set_segments([[(k, 0), (k, m)] for k, m in enumerate(miss)])
        artists["stems"].set_colors([MISS if each else GREY for each in off])
        colour, marker, _ = MODELS[model]
        artists["dots"].set_data(range(4), miss)
        artists["dots"].set(color=colour, marker=marker, mec="white")
        for k, each in enumerate(artists["numbers"]):
            each.xy = (k, miss[k] + np.copysign(0.085, miss[k]))
            each.set(text=signed(miss[k], 2), color=MISS if off[k] else SOFT)
        residual = confidence - hit
        overall = residual.mean()
        short = "recalibrated" if isotonic else "as trained"
        said = ", ".join(f"{name} {m:+.3f} ± {2 * e:.3f}" for name, m, e in zip(QUARTERS, miss, error, strict=True))
        return Finding(
            on_average_and_worst(overall, residual.std() / np.sqrt(len(hit)), miss, error),
            f"{model}, {short}, {len(hit):,} digits, 10 bins; pale: under {FEW}; grey, right: ± 2 standard errors",
            f"Confidence minus share right: {overall:+.3f} on all images; by quarter: {said}.".replace("-", "−"),
        )

    return explore(setup, update, size=(9, 4.6), model=list(sims.CAST), isotonic=True,
                   code=(sims.scans, sims.quarters), labels={"isotonic": "recalibrated (isotonic)"})  # fmt: skip


def older_or_younger(years):
    """What a shift of the mean age looks like; a tenth of a year does not count."""
    return f"{abs(years):.1f} years {'older' if years > 0 else 'younger'}" if abs(years) >= 0.1 else ""


def downstream():
    """What a local bias does to “the mean age of owners”, computed from predictions instead of labels."""
    age, _, true = sims.town()
    owners = sims.mean_age_of_owners(true)
    stops = slice(None, None, 10)

    def setup(fig):
        rows = fig.add_gridspec(2, 1, height_ratios=[3, 1])
        top = panel(fig, rows[0], xlim=(19, 96), ylim=(0, 1.02), xticks=[], yticks=[0, 0.5, 1],
                    ylabel="share who own a home")  # fmt: skip
        top.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        top.spines["bottom"].set_visible(False)
        strip = panel(fig, rows[1], read_y=False, xlim=(19, 96), ylim=(-1, 1.3), xticks=[20, 35, 50, 65, 80],
                      xlabel="age")  # fmt: skip
        truth(top, age, true, lw=5)  # seen on both sides of a line that lies on it
        words(top, 81, true[-1], "how often they do", ha="left", bold=True)
        strip.spines["bottom"].set_bounds(19, 80)
        words(strip, 20, 0.85, "mean age of owners", ha="left", colour=SOFT)
        truth(strip, [owners, owners], [-1, 0.8])
        words(strip, owners, 0.95, f"truth {owners:.1f}", bold=True, va="bottom", size=13.5)
        line = estimate(top, line=True, in_layout=False)
        name = words(top, 81, 0.5, "what the model says", ha="left", bold=True, colour=KEPT)
        halves = [estimate(top, line=True, lw=1.6, in_layout=False) for _ in range(2)]
        return {"stems": misses(top, lw=2.4), "line": line, "ghost": Ghost(line), "name": name, "halves": halves,
                "stem": misses(strip, lw=9), "dot": estimate(strip, ms=13, in_layout=False),
                "number": number(strip, colour=MISS, offset=(14, 0))}  # fmt: skip

    def update(artists, tilt=0.4, depends_on="age"):
        mean = sims.said_at_each_age(tilt, depends_on)
        slope, said, off = mean - true, sims.mean_age_of_owners(mean), 0.4 * tilt
        apart = max(abs(slope[-1]), 0.12)
        for side, each in zip((-1, 1), artists["halves"], strict=True):
            each.set_data(age, true + side * off if depends_on != "age" else np.full(len(age), np.nan))
        artists["line"].set_data(age, mean)
        artists["name"].set_y(true[-1] + (apart if mean[-1] > true[-1] else -apart))
        artists["stems"].set_segments(
            [[(a, r), (a, m)] for a, r, m in zip(age[stops], true[stops], mean[stops], strict=True)]
        )
        artists["dot"].set_data([said], [-0.1])
        artists["stem"].set_segments([[(owners, -0.1), (said, -0.1)]])
        shift = older_or_younger(said - owners)
        artists["number"].xy = said, -0.1
        artists["number"].set(text=f"{signed(said - owners, 1)} years" if shift else "", ha="right" if said < owners else "left",
                              position=(-14 if said < owners else 14, 0))  # fmt: skip
        return Finding(
            f"Owners seem {shift}, to a model that is right on average" if shift
            else "The miss is there, and does no harm to this question" if tilt
            else "No miss, and the mean age is right",
            f"right on average over all ages; said − happened: {signed(slope[0], 2)} at 20, {signed(slope[-1], 2)} at 80"
            if depends_on == "age" or not tilt
            else f"at each age half hear {signed(off, 2)}, half {signed(-off, 2)} (thin blue lines): right on average at each age",
            f"Mean age of owners: {owners:.2f} from labels, {said:.2f} from predictions. E (p − Y)(age − A) = {written(sims.moment(mean), 3)}.",
        )  # fmt: skip

    code = sims.town, sims.said_at_each_age, sims.mean_age_of_owners, sims.moment
    return explore(setup, update, size=(9, 4.6), code=code, tilt=(-0.5, 0.5, 0.1), depends_on=["age", "something else"],
                   labels={"tilt": "size of the miss", "depends_on": "miss goes with"})  # fmt: skip


OUT = 4  # standard errors: one chi-square, the least regular sum of pairs, is beyond them in 1 % of calibrated data


def stands_out(value, noise):
    """Whether an estimate of a squared error is more than chance explains, given its standard deviation by chance."""
    return value > OUT * noise


def two_kernels():
    """Which pairs are compared, and what is left when one of the two kernels is 1."""
    shown, modes = 200, ["both kernels", "l = 1", "k = 1"]
    names = {"both kernels": "Both kernels together", "l = 1": "l = 1, any feature", "k = 1": "k = 1, any prediction"}
    root = lambda value: np.sign(value) * np.sqrt(np.abs(value))

    def setup(fig):
        for each in sims.HALF_WORLDS:  # before the first click, not at it
            sims.half_tables(each)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], xlim=(-1.02, 1.02), ylim=(0.24, 0.76), xlabel="feature x",
                     ylabel="prediction p", xticks=[-1, 0, 1], yticks=[0.25, 0.5, 0.75])  # fmt: skip
        left.set_xticks([-1, 0, 1], ["−1", "0", "1"])
        right = panel(fig, columns[1], read_y=False, xlim=(-0.045, 0.19), ylim=(-0.5, 2.75),
                      xlabel="squared error, root scale")  # fmt: skip
        right.set_xticks(root(np.array([0, 0.005, 0.02])), ["0", "0.005", "0.02"])
        left.set_yticks([0.25, 0.5, 0.75], ["0.25", "0.5", "0.75"])
        zero = reference(right, [0, 0], [-0.5, 2.75])
        labels = [words(right, 0.185, 2.42 - row, names[mode], ha="right") for row, mode in enumerate(modes)]
        dots = left.scatter(np.zeros(shown), np.zeros(shown), s=12, lw=0, zorder=4)
        return {"lines": misses(left, lw=1.3), "dots": dots, "star": choice(left, ms=15, in_layout=False),
                "here": chance(right, facecolor=to_rgba(CHOICE, 0.35), zorder=0), "band": chance(right),
                "names": [zero, *labels], "stems": misses(right, lw=9), "found": right.scatter(range(3), range(3), s=130, zorder=4, ec="white"),
                "numbers": [number(right, offset=(9, 0)) for _ in modes]}  # fmt: skip

    def update(artists, world=sims.HALF_WORLDS[0], kernels="both kernels", width_p=0.1, width_x=0.3):
        y, p, x = (each[:shown] for each in sims.half_world(world))
        pairs = dict(zip(modes, ((width_p, width_x), (width_p, None), (None, width_x)), strict=True))
        values, noise = (np.array([table(world)[pair] for pair in pairs.values()])
                         for table in (sims.half_table, sims.half_noise))  # fmt: skip
        star = int(np.argmin((p - 0.5) ** 2 + (x - 0.4) ** 2))
        near = np.ones(shown)
        for width, each in zip(pairs[kernels], (p, x), strict=True):
            near *= 1 if width is None else np.exp(-((each - each[star]) ** 2) / (2 * width**2))
        same = (y == y[star])[:, None]
        colour = np.where(same, to_rgba(MISS), to_rgba(KEPT))
        here = np.column_stack([x, p])
        order = np.flatnonzero((near > 0.05) & (np.arange(shown) != star))
        colour[:, 3] = 0.5 * near
        artists["lines"].set_segments([(here[star], here[k]) for k in order])
        artists["lines"].set_color(colour[order])
        grey = np.array(to_rgba(GREY))
        colour[:, :3] = near[:, None] * colour[:, :3] + (1 - near[:, None]) * grey[:3]
        colour[:, 3] = 0.3 + 0.7 * near
        artists["dots"].set_offsets(here)
        artists["dots"].set_facecolor(colour)
        artists["star"].set_data([x[star]], [p[star]])
        rows, at, out = np.arange(3)[::-1], root(values), stands_out(values, noise)
        row = rows[modes.index(kernels)]
        artists["here"].set_verts([[(-0.045, row - 0.3), (0.19, row - 0.3), (0.19, row + 0.6), (-0.045, row + 0.6)]])
        wide = root(OUT * noise)
        artists["band"].set_verts(
            [[(-w, r - 0.2), (w, r - 0.2), (w, r + 0.2), (-w, r + 0.2)] for r, w in zip(rows, wide, strict=True)]
        )
        artists["stems"].set_segments([[(0, r), (a, r)] for r, a in zip(rows, at, strict=True)])
        verdict = [MISS if each else KEPT for each in out]
        artists["stems"].set_color([MISS if each else GREY for each in out])
        artists["found"].set_offsets(np.column_stack([at, rows]))
        artists["found"].set_facecolor(verdict)
        for each, r, a, value, c in zip(artists["numbers"], rows, at, values, verdict, strict=True):
            each.xy = max(a, 0), r
            each.set(text=written(value, 4), color=c)
        k, wrong = modes.index(kernels), world != sims.HALF_WORLDS[2]
        widths = ", ".join(
            f"{n} = 1" if w is None else f"γ of {n} (in {v}) {w:g}"
            for n, v, w in zip("kl", "px", pairs[kernels], strict=True)
        )
        said = ", ".join(
            f"{name} {written(value, 4)}"
            for name, value, outside in zip(pairs, values, out, strict=True)
            if name != kernels or not outside
        )
        return Finding(
            f"{names[kernels]}: an error of {written(values[k], 4)}, more than chance explains" if out[k]
            else f"{names[kernels]}: nothing stands out, {'though the model' if wrong else 'and nothing'} is wrong",
            f"{sims.HALF_N:,} data; {widths}; pairs of the yellow add (red) or not; grey: chance, ≥ 99%",
            f"Estimates of the squared error: {said}.",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.7), world=sims.HALF_WORLDS, kernels=modes, width_p=sims.PROB_WIDTHS, width_x=sims.FEATURE_WIDTHS,
        labels={"width_p": "bandwidth γ of k", "width_x": "bandwidth γ of l"}, code=sims.half_tables,
    )  # fmt: skip


def in_words(miss, error, supported):
    """What can be said of a miss at one place: its side if it is beyond two standard errors and data are near."""
    if not supported:
        return "unknown"
    return ("too sure" if miss > 0 else "too shy") if beyond(miss, error) else "nothing beyond chance"


ENDS = [3, 32]  # columns of the map that stand for clean and for worn images


def where_wrong():
    """The miss over (noise, confidence), shown only where enough data support it."""
    across, up = np.linspace(0, 0.5, 36), np.linspace(0.3, 1, 29)

    def setup(fig):
        for each in sims.CAST:  # read before the first click, not at it
            sims.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        left = panel(fig, columns[0], xlabel="noise of the image", ylabel="confidence", xticks=[0, 0.25, 0.5],
                     yticks=[0.4, 0.6, 0.8, 1], facecolor=CHANCE_BARS)  # fmt: skip
        image = Heatmap(left, (29, 36), x=(0, 0.5), y=(0.3, 1), vmin=-0.3, vmax=0.3, cmap=SIGNED.resampled(13))
        left.set_xticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        dots = left.scatter([], [], s=3, color=INK, lw=0, alpha=0.35, zorder=1)
        left.set_title("white: no miss, deepest: 0.3; grey: few digits", color=SOFT)
        row = chance(left, facecolor=CHOICE, edgecolor=INK, lw=0.8, zorder=3)
        right = panel(fig, columns[1], xlim=(0, 0.5), ylim=(-0.5, 0.5), xlabel="noise of the image",
                      ylabel="miss: said − happened", xticks=[0, 0.25, 0.5])  # fmt: skip
        right.set_yticks([-0.4, -0.2, 0, 0.2, 0.4], ["−0.4", "−0.2", "0", "0.2", "0.4"])
        right.set_xticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        right.set_title("along the yellow row", color=SOFT)
        reference(right, [0, 0.5], [0, 0])
        region(right, 0.01, 0.46, "says too much", ha="left")
        region(right, 0.01, -0.46, "says too little", ha="left")
        return {"image": image, "dots": dots, "row": row, "names": [words(left, 0.25, 0.5, "") for _ in range(3)],
                "band": chance(right, facecolor=CHANCE_BARS), "stems": misses(right, lw=2), "line": estimate(right, line=True, marker="o", ms=9.5, mec="white", markevery=ENDS, in_layout=False),
                "ends": [number(right, offset=(0, 0), ha="center") for _ in range(2)]}  # fmt: skip

    def update(artists, model="neural network", confidence=0.9, width_noise=0.08, width_confidence=0.1, support=20):
        hit, said, wear, _ = sims.scans(model, True)
        widths = width_confidence, width_noise
        miss, _, mass = sims.miss_map(hit, said, wear, up, across, *widths)
        shown = np.where(mass >= support, miss, np.nan)
        artists["image"].set_data(shown)
        artists["dots"].set_offsets(np.column_stack([wear, said])[::2])  # half of them: enough to see where data are
        high, low = confidence + 0.008, confidence - 0.008
        artists["row"].set_verts([[(0, low), (0.5, low), (0.5, high), (0, high)]])
        taken = [confidence]
        for name, each, text in zip(
            artists["names"],
            (shown, -shown, np.where(mass < support, 1.0, np.nan)),
            ("says\ntoo much", "says\ntoo little", "too few\ndigits"),
            strict=True,
        ):
            place = place_for(each, up, across, taken)
            name.set(text=text if place else "", position=place or (0.25, 0.5))
            taken += [place[1]] if place else []
        miss, error, near = (row[0] for row in sims.miss_map(hit, said, wear, np.array([confidence]), across, *widths))
        good = near >= support
        artists["line"].set_data(across, np.where(good, miss, np.nan))
        artists["line"].set_color(MODELS[model][0])
        wide = 2 * error
        cells = zip(bars_between(across, -wide[:-1], wide[:-1]), good[:-1] & good[1:], strict=True)
        artists["band"].set_verts([box for box, known in cells if known])
        off = good & beyond(miss, error)
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(across[off], miss[off], strict=True)])
        told = []
        for k, each in zip(ENDS, artists["ends"], strict=True):
            near = miss[max(k - 3, 0) : k + 4]
            each.xy = np.clip(across[k], 0.06, 0.44), (near.max() + 0.06 if miss[k] > 0 else near.min() - 0.06)
            each.set(text=signed(miss[k], 2) if good[k] else "", color=MISS if off[k] else INK)
            told.append(f"{signed(miss[k])} ± {2 * error[k]:.3f}" if good[k] else "unknown")
        clean, worn = (in_words(miss[k], error[k], good[k]) for k in ENDS)
        share = (mass >= support).mean()
        return Finding(
            (f"{confidence:.0%} sure: {clean} on clean images, {worn} on worn ones" if clean != worn
             else f"{confidence:.0%} sure: {clean} on clean and on worn images") if good.any()
            else f"{confidence:.0%} sure: no place has {support} digits nearby",
            f"{model}, recalibrated; γ {width_noise:g} in noise, {width_confidence:g} in confidence; grey, right: ± 2 s.e.",
            f"Said − happened: {told[0]} on clean images, {told[1]} on worn ones. {share:.0%} of the map has {support} data or more nearby.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.7), model=list(sims.CAST), confidence=(0.35, 0.95, 0.05),
                   width_noise=[0.02, 0.04, 0.08, 0.15, 0.3, 1.0], width_confidence=[0.02, 0.05, 0.1, 0.2, 0.5],
                   support=[0, 5, 10, 20, 40, 80],
                   code=sims.miss_map, labels={"width_noise": "bandwidth, noise", "width_confidence": "bandwidth, confidence",
                           "support": "digits needed nearby"},
                   kept={"width_noise": (0.04, 0.08, 0.3, 1.0), "width_confidence": (0.05, 0.1, 0.5), "support": (5, 20, 80)})  # fmt: skip


def place_for(values, up, across, taken, least=0.03, room=0.09):
    """Where a name fits on a map: the middle of a run of large values, a line away from what is `taken`; or None."""
    width = 8  # cells that a name of two lines covers
    runs = np.lib.stride_tricks.sliding_window_view(values, width, axis=1).min(axis=2)
    free = (np.abs(up[:, None] - taken) > room).all(axis=1) & (up > 0.34) & (up < 0.97)
    runs = np.where(free[:, None] & np.isfinite(runs), runs, -1)
    row, column = np.unravel_index(runs.argmax(), runs.shape)
    return (np.clip(across[column + width // 2], 0.065, 0.435), up[row]) if runs[row, column] > least else None


def of_cuts(rejected):
    """In how many cuts the test rejects."""
    return f"{round(rejected * sims.CUTS)} of {sims.CUTS}"


def repair_verdict(before, after, rejected):
    """What a recalibration did: where it took the ECE, and how often the local test rejects the fitted map."""
    return (
        f"ECE {'down' if after < before else 'up'} to {after:.3f}; the local test rejects in {of_cuts(rejected)} cuts"
    )


UP, DOWN = (each.get_path().transformed(each.get_transform()) for each in map(MarkerStyle, "^v"))


def repair():
    """What recalibration mends: the error on average, and the error given the noise."""
    methods, x = list(sims.METHODS), np.sqrt  # small errors need room
    rows = np.arange(len(methods))[::-1]

    def setup(fig):
        axes = panel(
            fig, read_y=False, xlim=(-0.25, 0.86), ylim=(-0.6, 6.25), xlabel="size of an error or of a miss, root scale"
        )
        at = np.array([0, 0.01, 0.05, 0.2, 0.5])
        axes.set_xticks(x(at), ["0", "0.01", "0.05", "0.2", "0.5"])
        axes.spines["bottom"].set_bounds(0, x(0.5))
        for each in x(at):
            axes.axvline(each, color="#EEEEEE", lw=1, zorder=0)
        names = [words(axes, -0.24, row, name, ha="left") for row, name in zip(rows, methods, strict=True)]
        for at, look, name in (
            (0, {"marker": "o", "ms": 10, "mfc": "white", "mec": INK}, "ECE, on average"),
            (0.22, {"marker": "^", "ms": 8, "mfc": GREY, "mec": GREY}, "miss of a quarter, ▼ says too little"),
        ):
            axes.plot([at], [6], ls="", **look)
            words(axes, at + 0.018, 6, name, ha="left", size=11, colour=SOFT)
        words(axes, 0.86, 6, "local test rejects", ha="right", size=11, colour=SOFT)
        return {"here": chance(axes, facecolor=to_rgba(CHOICE, 0.35), zorder=0), "names": names,
                "quarters": axes.scatter(np.zeros(24), np.zeros(24), s=20, color=GREY, lw=0, zorder=2),
                "ece": estimate(axes, in_layout=False, ms=10, mfc="white", mec=INK, mew=1.8, zorder=6),
                "now": words(axes, 0, 0, "", bold=True, va="bottom", size=11), "worst": words(axes, 0, 0, "", size=11, colour=SOFT),
                "counts": [words(axes, 0.86, row, "", bold=True, ha="right") for row in rows]}  # fmt: skip

    def update(artists, model="neural network", method="isotonic"):
        every = [sims.repaired(model, name) for name in methods]
        ece, miss, rejected = (np.array(each) for each in zip(*every, strict=True))
        colours = [MISS if share > 0.5 else KEPT for share in rejected]
        artists["ece"].set_data(x(ece), rows)
        artists["quarters"].set_offsets(np.column_stack([x(np.abs(miss)).ravel(), np.repeat(rows - 0.3, 4)]))
        artists["quarters"].set_sizes(np.tile([20, 36, 58, 85], 6))
        artists["quarters"].set_paths([UP if m > 0 else DOWN for m in miss.ravel()])
        k = methods.index(method)
        row = rows[k]
        artists["here"].set_verts([[(-0.25, row - 0.55), (0.86, row - 0.55), (0.86, row + 0.5), (-0.25, row + 0.5)]])
        for each, share, colour in zip(artists["counts"], rejected, colours, strict=True):
            each.set(text=of_cuts(share), color=colour)
        low, high = x(np.abs(miss[k]).min()) - 0.02, x(np.abs(miss[k]).max()) + 0.02
        place, side = (high, "left") if high < 0.62 else (low, "right")
        artists["worst"].set(x=place, y=row - 0.3, ha=side, text=f"most worn {signed(miss[k, 3])}")
        artists["now"].set(x=x(ece[k]), y=row + 0.15, text=f"{ece[k]:.3f}")
        said = "; ".join(f"{name} {each:.3f}" for name, each in zip(methods, ece, strict=True) if name != method)
        return Finding(
            f"{capital(method)}: {repair_verdict(ece[0], ece[k], rejected[k])}" if k
            else f"As trained: ECE {ece[0]:.3f}; the local test rejects in {of_cuts(rejected[0])} cuts",
            f"{model}; means over {sims.CUTS} cuts, half to fit, half to look at; triangles: quarters, larger: noisier",
            f"ECE of the others: {said}. All on halves that no map was fitted on; the exact test has the noise as feature.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 5), code=sims.repaired, model=list(sims.CAST),
                   method=["isotonic", *[m for m in methods if m != "isotonic"]])  # fmt: skip


STYLES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))]  # of the nulls' curves: two colours are not enough
LEVEL, COUNT = 0.05, ("no", "one", "two", "three", "four", "five")


def cries_wolf(rejected, n):
    """Whether a test rejects n calibrated data sets more often than its level allows, but for 2.5 % of bad luck."""
    return rejected * n > binom.ppf(0.975, n, LEVEL) + 1e-9


def null_race():
    """p-values of calibrated data sets under five nulls, as a crowd of alike data grows."""
    nulls, n = sims.RACE_NULLS, sims.RACE_SETS
    rows = np.arange(len(nulls))[::-1]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.45, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.28, 0.44), ylim=(-0.5, 4.75),
                     xlabel="false alarms at level 5%")  # fmt: skip
        left.set_xticks([0, 0.05, 0.2, 0.3], ["0", "5%", "20%", "30%"])
        left.spines["bottom"].set_bounds(0, 0.4)
        low, high = binom.ppf([0.025, 0.975], n, LEVEL) / n
        chance(left).set_verts([[(low, -0.5), (high, -0.5), (high, 4.6), (low, 4.6)]])
        reference(left, [LEVEL, LEVEL], [-0.5, 4.6])
        words(left, high + 0.006, 4.55, f"chance, {n} data sets", ha="left", size=11, colour=SOFT)
        for row, name in zip(rows, nulls, strict=True):
            words(left, -0.28, row, "labels (exact)" if name == "labels" else name, ha="left")
        right = panel(fig, columns[1], xlim=(0, 0.2), ylim=(0, 0.65), xlabel="level α", ylabel="share of p-values ≤ α")
        right.set_xticks([0, 0.05, 0.1, 0.2], ["0", "0.05", "0.1", "0.2"])
        right.set_yticks([0, 0.2, 0.4, 0.6], ["0", "0.2", "0.4", "0.6"])
        alpha = np.linspace(0, 0.2, 61)
        lower, upper = (binom.ppf(q, n, alpha) / n for q in (0.025, 0.975))
        chance(right).set_verts([np.column_stack([np.r_[alpha, alpha[::-1]], np.r_[lower, upper[::-1]]])])
        reference(right, [0, 0.2], [0, 0.2])
        lines = [right.plot([], [], drawstyle="steps-post", lw=2, ls=style, zorder=4)[0] for style in STYLES]
        keys = [left.plot([-0.28, -0.13], [row - 0.28] * 2, lw=2, ls=style, zorder=4)[0]
                for row, style in zip(rows, STYLES, strict=True)]  # fmt: skip
        words(right, 0.005, 0.63, "quiet at 5%", ha="left", colour=KEPT)
        words(right, 0.005, 0.58, "crying wolf at 5%", ha="left", colour=MISS)
        found = left.scatter(range(5), range(5), s=130, zorder=4, ec="white")
        return {"lines": lines, "keys": keys, "stems": misses(left, lw=3.4), "found": found,
                "numbers": [number(left) for _ in nulls]}  # fmt: skip

    def update(artists, crowd="doubtful", share=0.2):
        pvalues = sims.race(crowd, share)
        rejected = (pvalues <= LEVEL + 1e-12).mean(axis=1)
        wolf = cries_wolf(rejected, n)
        colours = [MISS if each else KEPT for each in wolf]
        for line, key, values, colour in zip(artists["lines"], artists["keys"], pvalues, colours, strict=True):
            line.set_data(*steps(values))
            line.set_color(colour)
            key.set_color(colour)
        artists["stems"].set_segments([[(LEVEL, r), (value, r)] for r, value in zip(rows, rejected, strict=True)])
        artists["stems"].set_color(colours)
        artists["found"].set_offsets(np.column_stack([rejected, rows]))
        artists["found"].set_facecolor(colours)
        for each, row, value, colour in zip(artists["numbers"], rows, rejected, colours, strict=True):
            each.xy = max(value, LEVEL), row
            each.set(text=f"{value:.1%}", color=colour)
        count, said = wolf.sum(), ", ".join(f"{name} {v:.1%}" for name, v in zip(nulls, rejected, strict=True))
        tests = f"{COUNT[count]} test{'' if count == 1 else 's'} of five {'cries' if count == 1 else 'cry'} wolf".capitalize()
        return Finding(
            f"{tests}: {'up to ' if count > 1 else ''}{rejected.max():.0%} false alarms in {n} data sets" if count
            else f"{tests}: at most {rejected.max():.0%} false alarms in {n} data sets",
            f"every data set is calibrated; {share:.0%} of it is a {crowd} crowd: alike inputs, predicted {sims.CROWDS[crowd][0]:g}",
            f"Rejected at .05: {said}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), code=sims.race, crowd=list(sims.CROWDS), share=sims.RACE_SHARES,
                   labels={"share": "share of the crowd"})  # fmt: skip


def rows_headline(crossed, clean):
    """How often the test rejects, with both choices of rows."""
    low, high = by_chance(sims.ROWS_SETS)
    often = "too rarely" if crossed < low else "too often" if crossed > high else "as its level says"
    return f"All rows, cross-fitted: {crossed:.0%} rejected, {often}; a clean half: {clean:.0%}"


def which_rows():
    """p-values of the exact test on the truth, on cross-fitted rows, and on a half that nothing was fitted on."""
    edges, names = np.linspace(0, 1, 21), ("r itself, all rows", "cross-fitted, all rows", "a clean half")

    def setup(fig):
        low, high = by_chance(sims.ROWS_SETS)
        parts, columns = [], fig.add_gridspec(1, 3)
        for column, name in zip(columns, names, strict=True):
            axes = panel(fig, column, read_y=not parts, xlim=(0, 1), ylim=(0, 0.37), xlabel="p-value", title=name)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            if not parts:
                axes.set(ylabel="share of data sets")
                axes.set_yticks([0, 0.05, 0.15, 0.25], ["0", "5%", "15%", "25%"])
            chance(axes).set_verts([[(0, low), (1, low), (1, high), (0, high)]])
            reference(axes, [0, 1], [0.05, 0.05])
            bars = chance(axes, facecolor=[KEPT, *[to_rgba(KEPT, 0.45)] * 19], edgecolor="white", lw=0.6, zorder=2)
            parts.append({"bars": bars, "first": number(axes, offset=(-4, 12), ha="left", colour=KEPT)})
            aside = (
                None,
                "line: the same predictions,\nnew labels",
                "the map itself is a little off,\nand some tests see it",
            )
            if said := aside[len(parts) - 1]:
                words(axes, 0.98, 0.365, said, ha="right", va="top", size=11)
            if len(parts) == 2:
                again = axes.plot([], [], color=INK, lw=1.4, drawstyle="steps-post", zorder=4)[0]
        return {"parts": parts, "again": again}

    def update(artists, method="Platt", n=400):
        true, crossed, again, clean = sims.which_rows(method, n)
        for part, shares in zip(artists["parts"], (true, crossed, clean), strict=True):
            part["bars"].set_verts(bars_between(edges, np.zeros(20), shares))
            part["first"].xy = 0.025, max(shares[:6].max(), again[:6].max() if part is artists["parts"][1] else 0)
            part["first"].set_text(f"{shares[0]:.0%}")
        artists["parts"][1]["first"].set_text(f"{crossed[0]:.0%} (line: {again[0]:.0%})")
        artists["again"].set_data(edges, np.append(again, again[-1]))
        half = {name: each[10:].sum() for name, each in zip(names, (true, crossed, clean), strict=True)}
        return Finding(
            rows_headline(crossed[0], clean[0]),
            f"{sims.ROWS_SETS} data sets of {n} rows, {method}, an irrelevant feature; dark: p ≤ 0.05; grey: chance",
            f"Dark: true chances {true[0]:.1%}, cross-fitted {crossed[0]:.1%}, the same predictions with "
            f"new labels {again[0]:.1%}, a clean half {clean[0]:.1%}. p above ½: "
            f"{', '.join(f'{name} {share:.0%}' for name, share in half.items())}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4), code=sims.which_rows, method=sims.ROWS_MAPS, n=sims.ROWS_N,
                   labels={"method": "map", "n": "rows, n"})  # fmt: skip


def power_in_many_dimensions():
    """Power of the exact test against one unused feature among d, along the bandwidth of the feature kernel."""
    widths = np.array(sims.WIDTHS) / np.sqrt(2)  # bandwidths; the paper's widths are √2 times as large

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(0.53, 44), ylim=(0, 1.05), xlabel="bandwidth γ of the feature kernel",
                     ylabel="errors found (power)")  # fmt: skip
        axes.set_xticks(widths, [f"{w:.2g}" for w in widths])
        axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        axes.minorticks_off()
        axes.spines["bottom"].set_bounds(0.67, widths[-1])
        for each in sims.DIMENSIONS:
            curve = sims.power(each)[0]
            first = each == sims.DIMENSIONS[0]  # it alone has room to say what the numbers count
            words(axes, 0.68 if first else 0.66, curve[0] - 0.1 * first, f"{each} features" if first else f"{each}",
                  ha="left" if first else "right", size=11, colour=SOFT)  # fmt: skip
            axes.plot(widths, curve, color="#B4B4B4", lw=1.6, marker="o", ms=6, mfc="white", zorder=1)
        reference(axes, [0.67, widths[-1]], [0.05, 0.05])
        words(axes, 16.3, 0.05, "level 5%", ha="left", size=11, colour=SOFT)
        together = axes.plot([0.67, widths[-1]], [0, 0], color=INK, lw=2.4, zorder=3)[0]
        return {"together": together, "line": estimate(axes, line=True, marker="o", ms=9.5, mec="white", in_layout=False),
                "name": number(axes, offset=(0, 0)), "best": number(axes, colour=KEPT, offset=(-10, 8))}  # fmt: skip

    def update(artists, features=10):
        single, aggregated = sims.power(features)
        best = int(np.argmax(single))
        artists["line"].set_data(widths, single)
        artists["together"].set_ydata([aggregated, aggregated])
        artists["name"].xy = 16.3, max(aggregated, 0.12)
        artists["name"].set_text(f"all five: {aggregated:.0%}")
        artists["best"].xy = widths[best], single[best]
        artists["best"].set(
            text=f"{single[best]:.0%}", ha="right" if best else "left", position=(-9 if best else 0, 14)
        )
        return Finding(
            f"{features} features: the best bandwidth finds {single[best]:.0%} of the errors, all five {aggregated:.0%}",
            f"exact test, level 5%, n = {sims.POWER_N}, {sims.POWER_SETS} data sets, one feature unused; pale: other numbers of features",
            f"The best bandwidth is {widths[best]:.2g}; the worst finds {single.min():.0%}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.4), code=sims.power, features=sims.DIMENSIONS)
