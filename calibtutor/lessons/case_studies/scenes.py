"""Pictures of the case studies on local calibration; what they show is computed in `calibtutor.reproductions`."""

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import consistency_band, reliability_curve
from ...kernels import rbf
from ...klce import local_calibration_bias
from ...plots import COLOURS, TITLE, Picture, ReliabilityDiagram, new_figure
from ...reproductions.compas import bias_by_age, compas_split, recalibrated
from ...reproductions.heart import PROB_WIDTH, heart_split, kernel_reach, objectives
from ...reproductions.housing import two_models
from ...teach.explore import explore

# Pictures of data that a notebook hands over are called by name; a scene makes its own.
__all__ = ["bias_explorer", "neighbours_explorer", "owners_explorer"]

SHOWN = 15  # a mean that rests on fewer rows than this is not drawn


def reliability_pair(y_true, first, second, titles, *, n_bins=20, event="share with a new charge"):
    """Two reliability diagrams side by side, with the pointwise band of a calibrated model."""
    figure = new_figure(9.6, 5)
    distances = []
    for spec, p, title in zip(figure.add_gridspec(1, 2), (first, second), titles, strict=True):
        curve = reliability_curve(y_true, p, n_bins=n_bins)
        band = consistency_band(p, n_bins=n_bins, rng=0)
        ReliabilityDiagram(figure, spec=spec, event=event).update(curve, band, title=title)
        full = curve.count > 0
        outside = ((curve.frequency < band[0]) | (curve.frequency > band[1]))[full].sum()
        distances.append(f"{title}: {outside} of {full.sum()} bins outside their own 90 % band")
    return Picture(figure, f"Reliability diagrams, {n_bins} bins. " + "; ".join(distances) + ".")


def months(table):
    """Rows of each month of assessment (bars) and the share with a new charge within two years (line)."""
    figure = new_figure(9, 3.6)
    axes = figure.add_subplot()
    x = np.arange(len(table))
    axes.bar(x, table["rows"], color=COLOURS["sky"], width=0.8)
    axes.set(ylabel="rows in the file", xlim=(-0.6, len(table) - 0.4))
    axes.set_xticks(x[::3], table.index[::3])
    share = axes.twinx()
    share.plot(x, table["share"], "o-", color=COLOURS["orange"], ms=5)
    share.set(ylim=(0, 1.05))
    share.set_ylabel("share with a new charge", color=COLOURS["orange"])
    share.tick_params(axis="y", colors=COLOURS["orange"])
    share.spines["right"].set_visible(True)
    full = table["share"] == 1
    return Picture(
        figure,
        f"Rows by month of assessment: {full.sum()} months from {table.index[full][0]} on hold only people with a new "
        f"charge; before, the share is {table['share'][~full].min():.2f} to {table['share'][~full][:-1].max():.2f}.",
    )


def bias_explorer():
    """Bias by age for four groups of the COMPAS test rows; choose the calibrator and the width of the average."""
    split = compas_split()
    predictions = recalibrated(split)
    colours = {"women": COLOURS["orange"], "men": COLOURS["blue"]}

    def setup(fig):
        artists = {}
        panels = fig.subplots(1, 2, sharex=True, sharey=True)
        for axes, race in zip(panels, ("African-American", "other"), strict=True):
            axes.axhline(0, color=COLOURS["ink"], lw=1)
            axes.set(xlim=(20, 60), ylim=(-0.35, 0.35), title=race, xlabel="age")
            for k, (sex, colour) in enumerate(colours.items()):
                (line,) = axes.plot([], [], color=colour, label=sex)
                band = axes.add_collection(PolyCollection([], facecolor=colour, alpha=0.2))
                place = {"transform": axes.transAxes, "ha": "right", "fontsize": 9}
                size = axes.text(0.98, 0.03 + 0.07 * k, "", color=colour, **place)
                artists[f"{race} {sex}"] = {"line": line, "band": band, "size": size}
            axes.legend(loc="upper left")
        panels[0].set_ylabel("label − prediction")
        return artists

    def update(artists, model="none", years=5.0):
        ages, found = bias_by_age(split, predictions[model], years=years)
        beyond = {}
        for name, bias in found.items():
            enough = bias.effective_size >= SHOWN
            low, high = (np.where(enough, bias.bias + s * 2 * bias.standard_error, np.nan) for s in (-1, 1))
            artists[name]["line"].set_data(ages, np.where(enough, bias.bias, np.nan))
            edge = np.column_stack([np.r_[ages[enough], ages[enough][::-1]], np.r_[low[enough], high[enough][::-1]]])
            artists[name]["band"].set_verts([edge])
            at30, at50 = np.interp([30, 50], ages, bias.effective_size)
            artists[name]["size"].set_text(f"{name.split()[-1]}: worth {at30:.0f} rows at 30, {at50:.0f} at 50")
            away = enough & ((low > 0) | (high < 0))
            beyond[name] = f"{away.sum()} of {enough.sum()} ages for {name}"
        return (
            f"Mean of label minus prediction by age, calibrator: {model}, averaged over {years:g} years. More than two "
            f"standard errors of a calibrated model from 0 at {'; '.join(beyond.values())}."
        )

    return explore(setup, update, size=(9.6, 4.4), model=list(predictions), years=[1.0, 2.0, 3.0, 5.0, 8.0, 12.0])


TRAITS = {"HHAGE": ("age of the householder", 20, 80), "HINCP": ("log10 of income", 4.1, 5.6)}


def owners_explorer():
    """Bias of the two models of Figure 1 along age or income, for Black and other households."""
    test, predict = two_models(4000)
    black, owner = test["BLACK"].to_numpy() == 1, test["OWNER"].to_numpy()

    def setup(fig):
        axes, artists = fig.add_subplot(), {}
        axes.axhline(0, color=COLOURS["ink"], lw=1)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.4, 0.4), ylabel="label − prediction")
        ticks = np.linspace(0, 1, 7)
        axes.set_xticks(ticks, [""] * 7)
        for name, colour in (("Black householders", COLOURS["orange"]), ("others", COLOURS["blue"])):
            (line,) = axes.plot([], [], color=colour, label=name)
            artists[name] = {"line": line, "band": axes.add_collection(PolyCollection([], facecolor=colour, alpha=0.2))}
        axes.legend(loc="upper left")
        artists["ticks"] = [axes.text(t, -0.43, "", ha="center", va="top") for t in ticks]
        artists["label"] = axes.set_title(TITLE)
        axes.set_xlabel(" ")
        return artists

    def update(artists, model="Model 1", trait="HHAGE", width=0.08):
        label, low, high = TRAITS[trait]
        x, at = (test[trait].to_numpy() - low) / (high - low), np.linspace(0, 1, 61)
        said = []
        for name, inside in (("Black householders", black), ("others", ~black)):
            found = local_calibration_bias(
                owner[inside], predict[model][inside], x[inside], at=(np.full(61, 0.5), at),
                prob_kernel=lambda X, Y: np.ones((len(X), len(Y))), feature_kernel=rbf(bandwidth=width),
            )  # fmt: skip
            edges = [found.bias + s * 2 * found.standard_error for s in (-1, 1)]
            artists[name]["line"].set_data(at, found.bias)
            artists[name]["band"].set_verts([np.column_stack([np.r_[at, at[::-1]], np.r_[edges[0], edges[1][::-1]]])])
            said.append(f"{name} {found.bias.min():+.2f} to {found.bias.max():+.2f}")
        for tick, t in zip(artists["ticks"], np.linspace(low, high, 7), strict=True):
            tick.set_text(f"{t:g}")
        artists["label"].set_text(f"{model}: bias along {label}")
        return f"{model}, mean of label minus prediction along {label}, width {width:g} of the axis: {'; '.join(said)}."

    return explore(
        setup, update, size=(8.6, 4.4), model=["Model 1", "Model 2"], trait=list(TRAITS), width=[0.02, 0.04, 0.08, 0.16]
    )


def neighbours_explorer():
    """Which test patients a kernel compares with one of them: γ and the unit of age decide."""
    X_train, y_train, X_test, _, table = heart_split()
    p = objectives(X_train, y_train, X_test)["XE"]
    age, female = table["Age"].to_numpy(float), (table["Sex"] == "F").to_numpy(float)
    chosen = int(np.argsort(np.abs(p - np.median(p)) + np.abs(age - 54) / 10)[0])

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(27, 80), ylim=(-0.03, 1.03), xlabel="age", ylabel="predicted probability of heart disease")
        points = axes.scatter(age, p, s=22, c=["#DDDDDD"] * len(p), edgecolors=COLOURS["grey"], lw=0.5)
        axes.plot(age[chosen], p[chosen], "o", ms=13, mfc="none", mec=COLOURS["orange"], mew=2.5)
        return {"points": points, "title": axes.set_title(TITLE)}

    def update(artists, gamma=25.0, years_per_unit=1):
        features = np.column_stack([age / years_per_unit, female])
        kernels = {"prob_kernel": rbf(width=PROB_WIDTH), "feature_kernel": rbf(gamma=gamma)}
        share, size = kernel_reach(p, features, **kernels)
        far = ((features - features[chosen]) ** 2).sum(axis=1) * gamma + ((p - p[chosen]) / PROB_WIDTH) ** 2
        colour = np.array([int(COLOURS["blue"][i : i + 2], 16) / 255 for i in (1, 3, 5)])
        artists["points"].set_facecolors(1 - np.exp(-far)[:, None] * (1 - colour))
        artists["title"].set_text(
            f"the circled patient is compared with {size[chosen]:.1f} patients' worth, own row included"
        )
        return (
            f"184 test patients by age and prediction; γ = {gamma:g}, one unit is {years_per_unit:g} years: "
            f"{100 * share:.1f} % of pairs have K > .01, the median patient has {np.median(size):.1f} patients' worth."
        )

    gammas = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0]
    return explore(setup, update, size=(8, 4.4), gamma=gammas, years_per_unit=[1, 2, 5, 10, 20], labels=UNITS)


UNITS = {"gamma": "γ", "years_per_unit": "years in one unit"}


def dots_by_split(panels, *, truth=None, height=2.8):
    """Figures of a few models over repeated splits: a panel a figure, a row a model, a dot a split, a bar the mean.

    Parameters
    ----------
    panels : dict
        Title → {model: values}, one value a split.
    truth : dict, optional
        Title → a number to mark.
    height : float

    Returns
    -------
    Picture
    """
    figure = new_figure(2.6 * len(panels), height)
    said = []
    palette = ["blue", "orange", "green"]
    for k, (title, models) in enumerate(panels.items()):
        axes = figure.add_subplot(1, len(panels), k + 1)
        for row, (name, values) in enumerate(models.items()):
            colour = COLOURS[palette[row]]
            axes.plot(values, np.full(len(values), -row), "o", color=colour, ms=6, alpha=0.5, clip_on=False)
            axes.plot(np.mean(values), -row, "|", color=COLOURS["ink"], ms=22, mew=2)
            said.append(f"{title}, {name}: mean {np.mean(values):.4g}")
        axes.set(ylim=(-len(models) + 0.4, 0.6), title=title)
        axes.set_yticks([-row for row in range(len(models))], list(models) if k == 0 else [])
        axes.locator_params(axis="x", nbins=3)
        axes.margins(x=0.15)
        if truth and title in truth:
            axes.axvline(truth[title], color=COLOURS["grey"], ls="--", lw=1.5)
            said.append(f"{title}, truth {truth[title]:.4g}")
    return Picture(figure, "One dot a random split. " + "; ".join(said) + ".")
