"""Pictures of notebook 09: a worn scanner, more groups, an inference from predictions, three pairs of kernels."""

import numpy as np
from matplotlib.colors import to_rgba

from ...binning import reliability_curve
from ...plots import (
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
    model_marker,  # fmt: skip
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared import worn as shared_worn
from ..shared.maps import SIGNED, Heatmap
from ..shared.verdicts import beyond, points, signed, written
from . import simulations as sims
from .exercises import check
from .games import plant_an_error

__all__ = ["downstream", "more_groups", "plant_an_error", "two_kernels", "worn_scanner"]

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
        for name in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(name, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.12, 1])
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
        hit, confidence, wear, _ = shared_worn.scans(model, isotonic)
        miss, error = shared_worn.quarters(hit, confidence, wear)
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

    return explore(setup, update, size=(9, 5.4), model=list(shared_worn.CAST), isotonic=True,
                   code=(shared_worn.scans, shared_worn.quarters), labels={"isotonic": "recalibrated (isotonic)"})  # fmt: skip


def more_groups(function=None):
    """The miss of each group of images by noise, by the reader's function, and the RMS miss, for 1 to 128 groups."""
    function, places = check.group_gap.use(function), np.arange(len(sims.GROUPS))

    def setup(fig):
        for each in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.9, 1])
        left = panel(fig, columns[0], xlim=(0, 1), ylim=(-0.62, 0.62), xticks=[0, 1], yticks=[-0.5, 0, 0.5],
                     xlabel="groups of images, by noise", ylabel="miss: said − happened")  # fmt: skip
        left.set_xticks([0.07, 0.93], ["cleanest", "noisiest"])
        left.tick_params(axis="x", length=0)
        left.set_yticks([-0.5, 0, 0.5], ["−0.5", "0", "0.5"])
        region(left, 0.01, 0.57, "says too much", ha="left")
        region(left, 0.01, -0.57, "says too little", ha="left")
        reference(left, [0, 1], [0, 0])
        right = panel(fig, columns[1], xlim=(-0.4, 7.4), ylim=(0, 0.225), xlabel="number of groups", ylabel="RMS miss")
        right.set_xticks(places[::2], [f"{each}" for each in sims.GROUPS[::2]])
        right.set_yticks([0, 0.1, 0.2], ["0", "0.1", "0.2"])
        words(right, -0.2, 0.218, "dashed: as it is; line:", ha="left", size=11, colour=SOFT)
        words(right, -0.2, 0.203, "without what chance adds", ha="left", size=11, colour=SOFT)
        return {"band": chance(left), "stems": misses(left), "dots": left.scatter([], [], s=34, zorder=4, ec="white", lw=0.6),
                "raw": reference(right), "line": estimate(right, line=True, in_layout=False),
                "here": choice(right, ms=11, in_layout=False), "rms": number(right, offset=(0, 16), ha="center")}  # fmt: skip

    def update(artists, model="neural network", groups=64):
        hit, p, noise, _ = shared_worn.scans(model, True)
        place, colour = sims.GROUPS.index(groups), MODELS[model][0]
        artists["dots"].set_paths([model_marker(model)])
        artists["line"].set_color(colour)
        cuts = [sims.by_noise(noise, each) for each in sims.GROUPS]
        error = [sims.chance_of(p, each) for each in cuts]
        try:
            miss = [as_misses(function(hit, p, each.copy()), len(e)) for each, e in zip(cuts, error, strict=True)]
        except Exception as problem:  # the reader's own: said where the picture would be
            miss = [np.full(len(e), np.nan) for e in error]
            said = f"{type(problem).__name__}: {problem}"
        rms = np.array([sims.rms_miss(m, e) for m, e in zip(miss, error, strict=True)])
        raw = np.array([np.sqrt(np.mean(m**2)) for m in miss])
        edges, m, wide = np.linspace(0, 1, groups + 1), miss[place], 2 * error[place]
        middle, off = (edges[1:] + edges[:-1]) / 2, np.abs(miss[place]) > wide
        known = np.isfinite(m)
        artists["band"].set_verts(bars_between(edges, -wide, wide))
        artists["stems"].set_segments([[(x, 0), (x, y)] for x, y in zip(middle[known], m[known], strict=True)])
        artists["stems"].set_color([MISS if each else GREY for each in off[known]])
        artists["stems"].set_linewidth(np.clip(160 / groups, 2, 10))
        artists["dots"].set_offsets(np.column_stack([middle, m]))
        artists["dots"].set_facecolor(colour)
        artists["raw"].set_data(places, raw)
        artists["line"].set_data(places, rms)
        artists["here"].set_data([place], rms[[place]])
        artists["rms"].xy = np.clip(place, 0.6, 6.4), rms[place]
        artists["rms"].set_text(f"{rms[place]:.3f}" if known.all() else "")
        drawn = f"{model}, recalibrated; {round(len(p) / groups):,} images a group; grey: chance, ± 2 standard errors"
        if not known.all():
            return Finding("No dots: these are not the misses of the groups", drawn, f"Nothing can be drawn. {said}")
        many = "1 group" if groups == 1 else f"{groups} groups"
        return Finding(
            f"{many}: {off.sum()} off by more than chance explains; RMS miss {rms[place]:.3f}",
            drawn,
            f"Largest miss {written(np.abs(m).max(), 2)}; with what chance adds the RMS is {raw[place]:.3f}. Misses by {function.by}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), model=list(shared_worn.CAST), groups=sims.GROUPS,
                   code=(sims.by_noise, sims.chance_of, sims.rms_miss), labels={"groups": "number of groups"})  # fmt: skip


def as_misses(found, groups):
    """What a reader's function returned, if it is a finite number for each group."""
    found = np.asarray(found, dtype=float)
    if found.shape != (groups,) or not np.isfinite(found).all():
        raise ValueError(f"expected {groups} finite numbers for {groups} groups, got an array of shape {found.shape}.")
    return found


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
        artists["stems"].set_segments([[(a, r), (a, m)] for a, r, m in zip(age[stops], true[stops], mean[stops], strict=True)])
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


def reach(x, p, width_x, width_p, ends):
    """Outline of what counts as near (x, p): one bandwidth in each direction, or all of it where the kernel is 1."""
    if width_x is None or width_p is None:
        (left, right), (low, high) = ends
        left, right = (left, right) if width_x is None else (x - width_x, x + width_x)
        low, high = (low, high) if width_p is None else (p - width_p, p + width_p)
        return [(left, low), (right, low), (right, high), (left, high)]
    turn = np.linspace(0, 2 * np.pi, 60)
    return np.column_stack([x + width_x * np.cos(turn), p + width_p * np.sin(turn)])


def two_kernels():
    """Which rows count as near one, and what is left of an error when one of the two kernels is 1."""
    shown, modes, ends = 200, ["both kernels", "l = 1", "k = 1"], ((-1, 1), (0.25, 0.75))
    names = {"both kernels": "Both kernels together", "l = 1": "l = 1, any feature", "k = 1": "k = 1, any prediction"}
    root, across = lambda value: np.sign(value) * np.sqrt(np.abs(value)), np.linspace(-0.995, 0.995, 200)

    def setup(fig):
        for each in sims.HALF_WORLDS:  # before the first click, not at it
            sims.half_tables(each)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        left = panel(fig, columns[0], xlabel="feature x", ylabel="prediction p")
        miss = Heatmap(left, (2, 200), x=ends[0], y=ends[1], vmin=-0.4, vmax=0.4, cmap=SIGNED)
        left.set_xticks([-1, 0, 1], ["−1", "0", "1"])
        left.set_yticks([0.25, 0.5, 0.75], ["0.25", "0.5", "0.75"])
        right = panel(fig, columns[1], read_y=False, xlim=(-0.045, 0.19), ylim=(-0.5, 2.75),
                      xlabel="estimate of the squared error, root scale")  # fmt: skip
        right.set_xticks(root(np.array([0, 0.005, 0.02])), ["0", "0.005", "0.02"])
        zero = reference(right, [0, 0], [-0.5, 2.75])
        labels = [words(right, 0.185, 2.42 - row, names[mode], ha="right") for row, mode in enumerate(modes)]
        return {"map": miss, "reach": chance(left, facecolor=to_rgba(CHOICE, 0.55), edgecolor=INK, lw=1.4, zorder=3),
                "dots": left.scatter(np.zeros(shown), np.zeros(shown), s=9, lw=0, color=INK, alpha=0.45, zorder=4),
                "star": choice(left, ms=11, in_layout=False),
                "sides": [words(left, x, 0.725, "", style="italic") for x in (-0.5, 0.5)],
                "here": chance(right, facecolor=to_rgba(CHOICE, 0.35), zorder=0), "band": chance(right),
                "names": [zero, *labels], "stems": misses(right, lw=9), "found": right.scatter(range(3), range(3), s=130, zorder=4, ec="white"),
                "numbers": [number(right, offset=(9, 0)) for _ in modes]}  # fmt: skip

    def update(artists, world=sims.HALF_WORLDS[0], kernels="both kernels", width_p=0.1, width_x=0.3):
        _, p, x = (each[:shown] for each in sims.half_world(world))
        pairs = dict(zip(modes, ((width_p, width_x), (width_p, None), (None, width_x)), strict=True))
        values, noise = (np.array([table(world)[pair] for pair in pairs.values()])
                         for table in (sims.half_table, sims.half_noise))  # fmt: skip
        star = int(np.argmin((p - 0.5) ** 2 + (x - 0.4) ** 2))
        off = sims.planted_miss(world, across)
        artists["map"].set_data(np.tile(off, (2, 1)))
        for text, side in zip(artists["sides"], (off[0], off[-1]), strict=True):
            text.set_text("says too much" if side > 0 else "says too little" if side < 0 else "")
        artists["reach"].set_verts([reach(x[star], p[star], *pairs[kernels][::-1], ends)])
        artists["dots"].set_offsets(np.column_stack([x, p]))
        artists["star"].set_data([x[star]], [p[star]])
        rows, at, out = np.arange(3)[::-1], root(values), stands_out(values, noise)
        row = rows[modes.index(kernels)]
        artists["here"].set_verts([[(-0.045, row - 0.3), (0.19, row - 0.3), (0.19, row + 0.6), (-0.045, row + 0.6)]])
        wide = root(OUT * noise)
        artists["band"].set_verts([[(-w, r - 0.2), (w, r - 0.2), (w, r + 0.2), (-w, r + 0.2)] for r, w in zip(rows, wide, strict=True)])
        artists["stems"].set_segments([[(0, r), (a, r)] for r, a in zip(rows, at, strict=True)])
        verdict = [MISS if each else KEPT for each in out]
        artists["stems"].set_color([MISS if each else GREY for each in out])
        artists["found"].set_offsets(np.column_stack([at, rows]))
        artists["found"].set_facecolor(verdict)
        for each, r, a, value, c in zip(artists["numbers"], rows, at, values, verdict, strict=True):
            each.xy = max(a, 0), r
            each.set(text=written(value, 4), color=c)
        k, wrong = modes.index(kernels), world != sims.HALF_WORLDS[2]
        widths = ", ".join(f"{n} = 1" if w is None else f"γ of {n} (in {v}) {w:g}" for n, v, w in zip("kl", "px", pairs[kernels], strict=True))
        said = ", ".join(f"{written(value, 4)} with {name}" for name, value, outside in zip(pairs, values, out, strict=True)
                         if name != kernels or not outside)  # fmt: skip
        return Finding(
            f"{names[kernels]}: an error of {written(values[k], 4)}, more than chance explains" if out[k]
            else f"{names[kernels]}: nothing stands out, {'though the model' if wrong else 'and nothing'} is wrong",
            f"{sims.HALF_N:,} rows; {widths}; yellow: near the ringed row; grey: chance, ≥ 99%",
            f"Estimates of the squared error: {said}.",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.7), world=sims.HALF_WORLDS, kernels=modes, width_p=sims.PROB_WIDTHS, width_x=sims.FEATURE_WIDTHS,
        labels={"width_p": "bandwidth γ of k", "width_x": "bandwidth γ of l"}, code=sims.half_tables,
    )  # fmt: skip
