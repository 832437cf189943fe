"""Pictures of the case studies on local calibration; what they show is computed in `calibtutor.reproductions`."""

import numpy as np
from matplotlib.colors import to_rgb, to_rgba

from ...estimates.binning import consistency_band, reliability_curve
from ...plots import (CHANCE_BARS, GREY, INK, KEPT, MISS, MODELS, SOFT, Finding, ReliabilityDiagram, chance, estimate,
                      misses, new_figure, panel, reference, region, words)
from ...reproductions.compas import compas_split, recalibrated
from ...reproductions.heart import heart_split, kernel_reach
from ...reproductions.housing import two_models
from ...reproductions.objectives import objectives
from ...teach.explore import explore
from ...teach.marks import number, tell
from ...teach.marks import truth as true_line
from ...teach.still import Picture
from ..shared.verdicts import beyond, capital, points, signed
from .networks import (brightness_dial, every_epoch, risks_apart, temperature_in_light, ten_networks, worst_class)
from .games import your_findings, your_power

# Pictures of data that a notebook hands over are called by name; a scene makes its own.
__all__ = ["bias_explorer", "brightness_dial", "every_epoch", "neighbours_explorer", "owners_explorer", "risks_apart",
           "temperature_in_light", "ten_networks", "worst_class", "your_findings", "your_power"]

SHOWN = 15  # a mean that rests on fewer rows than this is not drawn
ONE, OTHER = MODELS["neural network"][0], KEPT  # two groups of people


def reliability_pair(y_true, first, second, titles, *, n_bins=20, event="share with a new charge"):
    """Two reliability diagrams side by side, with the pointwise band of a calibrated model."""
    figure = new_figure(9, 5)
    outside = []
    for k, (spec, p, title) in enumerate(zip(figure.add_gridspec(1, 2), (first, second), titles, strict=True)):
        curve = reliability_curve(y_true, p, n_bins=n_bins)
        band = consistency_band(p, n_bins=n_bins, rng=0)
        diagram = ReliabilityDiagram(figure, spec=spec, event="" if k else event, title=title, cases="people")
        diagram.update(curve, band)
        diagram.title.set(color=MODELS[title][2] if title in MODELS else INK, weight="bold")
        full = curve.count > 0
        out = ((curve.frequency < band[0]) | (curve.frequency > band[1]))[full].sum()
        outside.append(f"{out} of {full.sum()}")
    return Picture(figure, Finding(
        f"Bins outside chance: {outside[0]} before, {outside[1]} after",
        f"{titles[0]}, then {titles[1]}; {len(y_true):,} people in {n_bins} bins; grey: each bin's 90% if calibrated"))


def months(table):
    """Rows of each month of assessment, and those of them with a new charge."""
    figure = new_figure(9, 4.2)
    x, full = np.arange(len(table)), (table["share"] == 1).to_numpy()
    axes = panel(figure, ylabel="people in the file", xlim=(-0.6, len(table) - 0.4))
    axes.set_xticks(x[::6], table.index[::6])
    axes.bar(x, table["rows"], color=CHANCE_BARS, width=0.8)
    axes.bar(x, table["rows"] * table["share"], color=np.where(full, MISS, KEPT), width=0.8)
    top = table["rows"].max()
    words(axes, 1, 1.12 * top, "charged again", ha="left", colour=KEPT, bold=True)
    words(axes, 6.5, 1.12 * top, "not charged again", ha="left", colour=SOFT)
    words(axes, len(table) - 0.5, 0.5 * top, f"in {full.sum()} months\nnobody is “not charged”", ha="right", colour=MISS,
          bold=True)
    axes.set(ylim=(0, 1.2 * top), yticks=np.arange(0, top + 1, 200))
    share = table["share"][~full]
    return Picture(figure, Finding(
        f"From {table.index[full][0]} on, everyone in the file was charged again",
        f"{table['rows'].sum():,} people by month of assessment; until {share.index[-2]} it was {share.min():.0%} to {share[:-1].max():.0%} of a month",
        f"These are {full.sum()} months; in the last one before them it was {share.iloc[-1]:.0%}."))


def curve_with_band(axes, colour):
    """A moving line of misses, and ± 2 standard errors about it."""
    return {"line": estimate(axes, line=True, color=colour, in_layout=False, clip_on=True),
            "band": chance(axes, facecolor=to_rgba(colour, 0.15))}


def show_curve(artists, at, miss, error, enough):
    """Draw a miss along `at` where `enough` rows carry it."""
    artists["line"].set_data(at, np.where(enough, miss, np.nan))
    x, low, high = at[enough], (miss - 2 * error)[enough], (miss + 2 * error)[enough]
    artists["band"].set_verts([np.column_stack([np.r_[x, x[::-1]], np.r_[low, high[::-1]]])])


def most_often_off(found):
    """The group that is off, on one side, at the most ages: {name: (too high, too low, ages)} -> name, the words."""
    name, (high, low, ages) = max(found.items(), key=lambda item: max(item[1][:2]))
    if not max(high, low):
        return "", "no group is off at any age"
    return name, f"too {'high' if high > low else 'low'} for {name} at {max(high, low)} of {ages} ages"


def miss_near(places, x, y, p, width):
    """Mean of p − y near each place of x, its standard error if the predictions p are right, and the rows it is worth."""
    weight = np.exp(-((np.subtract.outer(places, x) / width) ** 2) / 2)
    weight /= weight.sum(axis=1, keepdims=True)
    error = np.sqrt(weight**2 @ (p * (1 - p)))
    return weight @ (p - y), error, 1 / (weight**2).sum(axis=1)


def bias_explorer():
    """The miss by age for four groups of the COMPAS test rows; choose the calibrator and the width of the average."""
    split = compas_split()
    predictions = recalibrated(split)
    ages, age = np.arange(20, 61), 10 * split.X_test[:, 0]
    groups = {f"{race} {sex}": (split.X_test[:, 1] == female) & (split.X_test[:, 2] == first)
              for race, first in (("African-American", 1), ("other", 0)) for sex, female in (("women", 1), ("men", 0))}

    def setup(fig):
        artists = {}
        for spec, race in zip(fig.add_gridspec(1, 2), ("African-American", "other"), strict=True):
            first = race != "other"
            axes = panel(fig, spec, read_y=first, xlim=(20, 60), ylim=(-0.42, 0.42), xlabel="age", xticks=[30, 40, 50],
                         y=[-0.4, -0.2, 0, 0.2, 0.4], ylabel="new charge: said − happened" if first else "")
            axes.set_title(race, color=INK, weight="bold")
            region(axes, 59.5, 0.38, "says too much", ha="right")
            region(axes, 59.5, -0.24, "says too little", ha="right")
            reference(axes, [20, 60], [0, 0])
            for k, (sex, colour) in enumerate((("women", ONE), ("men", OTHER))):
                artists[f"{race} {sex}"] = curve_with_band(axes, colour) | {
                    "count": words(axes, 59.5, -0.31 - 0.07 * k, "", ha="right", colour=colour),
                    "stems": misses(axes, lw=1.2, alpha=0.6)}
        return artists

    def update(artists, model="none", years=5.0):
        away, said = {}, {}
        for name, inside in groups.items():
            miss, error, worth = miss_near(ages, age[inside], split.y_test[inside], predictions[model][inside], years)
            enough = worth >= SHOWN
            off = enough & beyond(miss, error)
            show_curve(artists[name], ages, miss, error, enough)
            artists[name]["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(ages[off], miss[off], strict=True)])
            artists[name]["count"].set_text(f"{name.split()[-1]}: off at {off.sum()} of {enough.sum()} ages")
            away[name] = (off & (miss > 0)).sum(), (off & (miss < 0)).sum(), enough.sum()
            said[name] = f"{off.sum()} for {name}"
        worst, finding = most_often_off(away)
        for name, parts in artists.items():
            parts["count"].set_weight("bold" if name == worst else "normal")
        return Finding(
            f"{'As trained' if model == 'none' else capital(model)}: {finding}",
            f"{len(split.y_test):,} people, averaged over {years:g} year{'s' if years > 1 else ''} of age; red: 0 is outside the band of 2 standard errors",
            f"At how many of them 0 is outside: {', '.join(each for name, each in said.items() if name != worst)}.")

    return explore(setup, update, size=(9, 4.8), model=list(predictions), years=[1.0, 2.0, 3.0, 5.0, 8.0, 12.0],
                   labels={"model": "calibrator", "years": "averaged over (years)"}, code=miss_near)


# Column, its ends on the axis, ticks, the two places of the headline, the name of the axis.
TRAITS = {
    "age": ("HHAGE", 20, 80, {20: "20", 35: "35", 50: "50", 65: "65", 80: "80"}, {30: "at age 30", 70: "at 70"},
            "age of the householder"),
    "income": ("HINCP", 4.1, 5.6, {np.log10(1000 * k): f"{k}k" for k in (20, 50, 100, 300)},
               {np.log10(25_000): "at 25k dollars", np.log10(200_000): "at 200k"}, "income of the household, dollars")}


def at_a_place(miss, error):
    """A miss in points, or that it is within two standard errors of none."""
    return points(miss, "too high", "too low") if beyond(miss, error) else "right within chance"


def owners_explorer():
    """The miss of the two models of Figure 1 along age or income, for Black and other households."""
    test, predict = two_models(4000)
    black, owner = test["BLACK"].to_numpy() == 1, test["OWNER"].to_numpy()
    groups = {"Black householders": (black, ONE), "others": (~black, OTHER)}

    def setup(fig):
        axes = panel(fig, xlim=(-0.02, 1.02), ylim=(-0.43, 0.43), ylabel="owns the home: said − happened", xticks=[],
                     xlabel=" \n \n ", y=[-0.4, -0.2, 0, 0.2, 0.4])
        region(axes, 1.01, 0.39, "says too much", ha="right")
        region(axes, 0.5, -0.39, "says too little")
        reference(axes, [-0.02, 1.02], [0, 0])
        for k, (name, (_, colour)) in enumerate(groups.items()):
            words(axes, 0, -0.32 - 0.07 * k, name, ha="left", colour=colour, bold=True)
        return {"stems": misses(axes, lw=9),
                "numbers": [number(axes, colour=MISS, offset=(0, 0), ha="center") for _ in range(2)],
                "ticks": [words(axes, 0, -0.46, "", colour=SOFT, va="top", in_layout=False) for _ in range(5)],
                "label": words(axes, 0.5, -0.53, "", colour=SOFT, va="top", in_layout=False),
                "curves": {name: curve_with_band(axes, colour) for name, (_, colour) in groups.items()}}

    def update(artists, model="Model 1", trait="age", width=0.08):
        column, low, high, ticks, places, label = TRAITS[trait]
        x, at, said = (test[column].to_numpy() - low) / (high - low), np.linspace(0, 1, 61), []
        along = lambda inside, at: miss_near(at, x[inside], owner[inside], predict[model][inside], width)[:2]
        for name, (inside, _) in groups.items():
            miss, error = along(inside, at)
            show_curve(artists["curves"][name], at, miss, error, np.full(61, True))
            said.append(f"{name} {miss.min():+.2f} to {miss.max():+.2f}")
        for tick, (value, text) in zip(artists["ticks"], [*ticks.items(), (0, "")], strict=False):
            tick.set(text=text, x=(value - low) / (high - low))
        artists["label"].set_text(label)
        where = (np.array(list(places)) - low) / (high - low)
        ends = along(np.full(len(x), True), where)
        off = beyond(*ends)
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(where[off], ends[0][off], strict=True)])
        for label, a, miss, shown in zip(artists["numbers"], where, ends[0], off, strict=True):
            tell(label, (a, -np.copysign(0.045, miss)),  # where no bar is
                 f"all: {signed(100 * miss, 0)}" if shown else "")
        wide = width * (high - low)
        averaged = f"{wide:.2g} years" if trait == "age" else f"a factor of {10**wide:.2g}"
        (first, last), (here, there) = (at_a_place(m, e) for m, e in zip(*ends, strict=True)), places.values()
        return Finding(
            f"{model}: {first} {here}, {last} {there}" if first != last else f"{model}: {first} {here} and {there}",
            f"{len(test):,} households, averaged over {averaged}; bands: 2 standard errors; red: all together, in points",
            f"Mean of prediction minus label along {trait}: {'; '.join(said)}.".replace("-", "−"))

    return explore(setup, update, size=(9, 4.6), model=["Model 1", "Model 2"], trait=list(TRAITS), width=[0.02, 0.04, 0.08, 0.16],
                   labels={"trait": "along", "width": "averaged over (share of the axis)"}, code=miss_near)


def company(size):
    """Who an average near a patient rests on; below 1.5 patients' worth the patient is alone."""
    return "nobody" if size < 1.5 else f"about {size - 1:.0f} other{'s' if size >= 2.5 else ''}"


def compared(p, features, gamma):
    """The kernel of all pairs, the share of pairs above .01, and how many patients an average near each rests on."""
    far = gamma * ((features[:, None] - features) ** 2).sum(axis=2) + ((p[:, None] - p) / 0.1) ** 2
    return np.exp(-far), *kernel_reach(np.exp(-far))


def neighbours_explorer():
    """Which test patients a kernel compares with one of them: γ and the unit of age decide."""
    X_train, y_train, X_test, _, table = heart_split()
    p = objectives(X_train, y_train, X_test)["XE"]
    age, female = table["Age"].to_numpy(float), (table["Sex"] == "F").to_numpy(float)
    chosen = int(np.argsort(np.abs(p - np.median(p)) + np.abs(age - 54) / 10 + (female == 0) * 9)[0])  # a woman

    def setup(fig):
        axes = panel(fig, xlim=(27, 104), ylim=(-0.03, 1.03), xlabel="age", xticks=[30, 40, 50, 60, 70],
                     ylabel="predicted probability of heart disease", y=[0, 0.5, 1], base=(27, 80))
        axes.xaxis.label.set(x=0.34)
        words(axes, 92, 0.43, "other patients' worth\nbehind its average", colour=SOFT)
        words(axes, 92, 0.12, "● men   ▼ women", colour=SOFT)
        dots = [axes.scatter(age[s], p[s], s=44, marker=m, ec=GREY, lw=0.6, zorder=4)
                for s, m in ((female == 0, "o"), (female == 1, "v"))]
        return {"lines": misses(axes, lw=1.6), "dots": dots, "star": estimate(axes, [age[chosen]], [p[chosen]], marker="v", ms=15, mfc="none", mec=INK, mew=1.6),
                "count": words(axes, 92, 0.58, "", bold=True, size=30)}

    def update(artists, gamma=25.0, years_per_unit=1):
        K, share, size = compared(p, np.column_stack([age / years_per_unit, female]), gamma)
        near = K[chosen]
        fill = np.outer(1 - near, to_rgb("#EEEEEE")) + np.outer(near, to_rgb(KEPT))
        for dots, sex in zip(artists["dots"], (0, 1), strict=True):
            inside = np.argsort(near)[female[np.argsort(near)] == sex]  # the nearest are drawn last
            dots.set_offsets(np.column_stack([age, p])[inside])
            dots.set_facecolors(fill[inside])
        order = np.flatnonzero(near > 0.01)
        artists["lines"].set_segments([[(age[chosen], p[chosen]), (age[k], p[k])] for k in order])
        artists["lines"].set_color([to_rgba(KEPT, 0.7 * near[k]) for k in order])
        artists["count"].set(text=f"{size[chosen] - 1:.1f}", color=MISS if size[chosen] < 1.5 else KEPT)
        return Finding(
            f"{100 * share:.1f}% of pairs are compared, the ringed patient with {company(size[chosen])}",
            f"{len(p)} test patients; γ = {gamma:g}, one unit of age is {years_per_unit} year{'s' if years_per_unit > 1 else ''}; "
            f"a pair counts if K > 0.01; the bluer, the more",
            f"The median patient has {np.median(size) - 1:.1f} other patients' worth.")

    return explore(setup, update, size=(9, 4.8), code=(compared, kernel_reach), gamma=[0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0],
                   years_per_unit=[1, 2, 5, 10, 20], labels={"gamma": "γ", "years_per_unit": "years in one unit"})


def scores_and_truth(panels, truth):
    """Which model has the best means by every score, if one has, and which comes nearest to the truth."""
    means = {title: {name: np.mean(values) for name, values in models.items()} for title, models in panels.items()}
    ((trait, value),) = truth.items()
    nearest = min(means[trait], key=lambda name: abs(means[trait][name] - value))
    best = {(max if title == "accuracy" else min)(models, key=models.get)
            for title, models in means.items() if title != trait}
    if best == {nearest}:
        return f"{nearest} has the best scores and is nearest to the truth"
    if len(best) == 1:
        return f"{best.pop()} has the best scores, {nearest} is nearest to the truth"
    return f"{nearest} is nearest to the truth; none is best by every score"


def dots_by_split(panels, *, truth, height=3.6):
    """A panel for each of {title: {model: values}}: a row a model, a dot a split, a bar the mean; one has a `truth`."""
    figure = new_figure(9, height)
    said, names = [], list(next(iter(panels.values())))
    grid = figure.add_gridspec(1, len(panels), wspace=0.08)
    for k, (title, models) in enumerate(panels.items()):
        axes = panel(figure, grid[k], read_y=False, ylim=(0.4 - len(names), 0.9))
        axes.set_title(title, color=INK, weight="bold")
        if k == 0:
            axes.set_yticks(-np.arange(len(names)), names)
            axes.tick_params(axis="y", length=0, labelcolor=INK)
        means = [np.mean(values) for values in models.values()]
        for row, values, mean in zip(-np.arange(len(names)), models.values(), means, strict=True):
            estimate(axes, values, np.full(len(values), row), ms=8, alpha=0.45)
            axes.plot([mean, mean], [row - 0.22, row + 0.22], color=KEPT, lw=2.4)
            if title in truth:
                misses(axes, lw=7, alpha=0.85).set_segments([[(truth[title], row), (mean, row)]])
        said.append(f"{title} " + " and ".join(f"{mean:.4g}" for mean in means))
        ends = [min(means), max(means)]
        digits = int(np.clip(1 - np.floor(np.log10(np.ptp(ends) or 1)), 0, 4))  # enough to tell them apart
        axes.set_xticks(ends, [f"{end:.{digits}f}".replace("-", "−") for end in ends])
        axes.margins(x=0.2)
        if title in truth:
            true_line(axes, [truth[title]] * 2, [0.5 - len(names), 0.5])
            words(axes, truth[title], 0.68, "truth", bold=True)
            said[-1] += f", truth {truth[title]:.4g}"
    splits = len(next(iter(panels[title].values())))
    return Picture(figure, Finding(
        scores_and_truth(panels, truth),
        f"one dot a random split ({splits}), a bar their mean; red: how far the mean is from the truth",
        f"{' and '.join(names)}, on average: {'; '.join(said)}."))
