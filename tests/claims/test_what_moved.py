"""Claims of the lesson what_moved."""

import numpy as np
import pytest
from ckce_of_digits import CURVE, NEAR, PAPERS, most, slow, top
from claim import claim
from scipy import stats
from scipy.special import expit, logit
from seeds import mean_within, within
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from splits import another_split, trained

from calibtutor import top_label
from calibtutor.ckce import ckce, select_regularization
from calibtutor.data.datasets import brightened_digits
from calibtutor.data.worlds import covariate_shift
from calibtutor.kernels import linear_plus_gaussian, low_rank, median_bandwidth
from calibtutor.lessons.shared import ckce_on_digits as on_digits
from calibtutor.lessons.what_moved import endless, exercises, games, scenes
from calibtutor.lessons.what_moved import simulations as sims
from calibtutor.reproductions import digits_ckce, shift
from calibtutor.simplex import cell_of

ONE = [rule for rule in sims.RULES if rule != shift.MEDIAN]


@claim("12_what_moved", "√SKCE falls to a third", "√CKCE moves least", "Still it goes down to 89 %")
@claim(
    "what_moved/exercises",
    "Means of 400 data sets (n = 1,000), the bandwidth the median distance of each: from the ends to the middle √SKCE "
    "falls by 68 %, the ECE by 44 %, √CKCE by 8 %.",
    "The CKCE moves least of the three, with each bandwidth of the picture.",
)
def test_what_moves_in_the_papers_world():
    for bandwidth in shift.BANDWIDTHS:
        mean, _ = shift.curves(bandwidth)
        roots = {"JKCE": mean["JKCE"] ** 0.5, "ECE": mean["ECE"], "CKCE": mean["CKCE"] ** 0.5}
        falls = [round(-shift.change(root)[0], 2) for root in roots.values()]
        low = [round((root / root.max()).min(), 2) for root in roots.values()]
        assert low[2] > max(low[:2]) and abs(falls[2]) < min(falls[:2])
        if bandwidth == shift.MEDIAN:
            assert falls == [0.68, 0.44, 0.08] and low[::2] == [0.32, 0.89]
    assert shift.TRIALS == 400 and shift.N == 1000 and round(1000**-0.25, 3) == 0.178


@claim("12_what_moved", "$X$ is normal around α with standard deviation .25, cut off at ± 1, and α moves.")
def test_the_papers_inputs(seeds):
    for alpha in (0.0, 0.5):
        p = covariate_shift(alpha, 40_000, seeds.rng(3))[1][:, 1]
        x, rng = logit(p) / 5, seeds.rng(4)
        drawn = rng.normal(alpha, 0.25, 80_000)
        drawn = drawn[np.abs(drawn) <= 1]
        np.testing.assert_allclose(
            np.quantile(x, [0.05, 0.3, 0.7, 0.95]), np.quantile(drawn, [0.05, 0.3, 0.7, 0.95]), atol=0.02
        )


def rise(values):
    """Of a curve over `sims.SHIFTS`, from the ends to the middle."""
    return values[len(values) // 2] / ((values[0] + values[-1]) / 2) - 1


def rises(crowd_="moves", labels="none: no noise", rules=sims.RULES):
    """Of the CKCE: a row a rule of the bandwidth, a column a λ."""
    return np.array([[rise(each) for each in sims.ckce_over_shift(rule, crowd_, labels)] for rule in rules])


@claim(
    "what_moved/exercises",
    "From the ends to the middle the CKCE falls by 14 % (no root; means of 200 data sets).",
    "it is .016 at the ends and .346 in the middle.",
    "With one bandwidth for all data sets, from .05 to .5, nothing falls.",
    "The CKCE rises towards the middle, with and without noise, for each λ of the picture.",
    "A moving crowd works against it, so that with both the fall is smaller.",
    "the bandwidth the median of each data set, labels drawn, λ = 0.178.",
)
@claim(
    "12_what_moved",
    "Take the *noise* of the labels away (endless data), and the fall stays.",
    "Let the *crowd* stay at α = 0 while the bandwidth goes on as if it had moved: the CKCE falls all the same.",
    "the CKCE rises towards the middle, without noise by 11 to 20 % for bandwidths from .05 to .5.",
    "At the ends predictions are 22 times as near each other as in the middle",
)
def test_it_is_the_bandwidth_that_makes_the_ckce_fall(seeds):
    ends, middle = sims.median_after(1.0), sims.median_after(0.0)
    assert (round(ends, 3), round(middle, 3), round(middle / ends)) == (0.016, 0.346, 22)
    for alpha, width in ((1.0, ends), (0.0, middle)):
        drawn = [median_bandwidth(covariate_shift(alpha, 1000, seeds.rng(5, k))[1]) for k in range(20)]
        assert mean_within(drawn, 0.99 * width, 1.01 * width)
    assert [float(rule) for rule in ONE] == [0.05, 0.1, 0.25, 0.5]
    for labels, alone in zip(sims.LABELS, (-0.22, -0.14), strict=True):
        assert round(rises(labels=labels, rules=[shift.MEDIAN])[0, -1], 2) == -0.14
        assert round(rises(sims.CROWDS[1], labels, [shift.MEDIAN])[0, -1], 2) == alone
        assert (rises(labels=labels, rules=ONE) > 0.1).all()
    assert sims.SHIFT_SETS == 200 and games.what_moved().headline.endswith("falls by 14%")
    found = rises(rules=ONE)[:, -1]
    assert (round(found.min(), 2), round(found.max(), 2)) == (0.12, 0.20)  # of the four that are shown
    middle, end = (
        np.array([endless.ckce_of(*endless.directions(*endless.papers_world(alpha=alpha), width), shift.N**-0.25)
                  for width in np.linspace(0.05, 0.5, 46)]) for alpha in (0.0, 1.0)
    )  # fmt: skip
    assert np.round((middle / end - 1).min(), 2) == 0.11 and np.round((middle / end - 1).max(), 2) == 0.20


@slow
def test_with_labels_drawn_anew_it_is_the_bandwidth_too(seeds):
    """On data of this base's own, 120 sets: the CKCE of the middle less that of an end."""
    changes = {shift.MEDIAN: [], 0.1: []}
    for k in range(120):
        pair = [covariate_shift(alpha, 1000, seeds.rng(6, k, int(alpha))) for alpha in (1.0, 0.0)]
        for name, found in changes.items():
            widths = [median_bandwidth(p) if name == shift.MEDIAN else name for _, p in pair]
            kernels = map(linear_plus_gaussian, widths)
            end, middle = (ckce(*one, kernel=k, regularization=0.178) for one, k in zip(pair, kernels, strict=True))
            found.append(middle - end)
    assert not mean_within(changes[shift.MEDIAN], 0, 1) and not mean_within(changes[0.1], -1, 0)  # it falls; it rises


@claim(
    "12_what_moved",
    "With one kernel the CKCE varies by at most .07, the JKCE by at least .51.",
    "A single data set scatters by 10 to 17 %, nearly as much as the mean changes.",
)
def test_the_papers_order_of_robustness_holds_with_one_kernel():
    rough = {metric: [shift.variation(shift.curves(each)[0][metric])[0] for each in shift.BANDWIDTHS]
             for metric in shift.METRICS}  # fmt: skip
    assert round(max(rough["CKCE"][1:]), 2) == 0.07 and round(min(rough["JKCE"][1:]), 2) == 0.51
    for part in ("CKCE, linear", "CKCE, Gaussian"):
        assert (np.array(rough["CKCE"]) < 0.75 * np.array(rough[part])).all()
    scatter = [se["CKCE"] * np.sqrt(shift.TRIALS) / mean["CKCE"] for mean, se in map(shift.curves, shift.BANDWIDTHS)]
    assert (round(np.min(scatter), 2), round(np.max(scatter), 2)) == (0.10, 0.17)
    changes = [abs(shift.change(shift.curves(each)[0]["CKCE"])[0]) for each in shift.BANDWIDTHS]
    assert 0.13 < min(changes) and max(changes) < 0.26


@claim(
    "what_moved/exercises",
    "(.2 · .9/1)² + (.2 · .1/.2)² = .0324 + .01: of the frequent miss nine tenths are left, of the rare one half.",
)
@claim("12_what_moved", "the regression finds $g\\,s/(s + \\lambda)$, and the CKCE is the sum of the squares.")
def test_a_rare_and_a_frequent_prediction(seeds):
    for k in range(20):
        rng = seeds.rng(15, k)
        shares, miss, lam = rng.dirichlet(np.ones(4)), rng.uniform(-0.5, 0.5, 4), rng.uniform(0.01, 1)
        C, S = np.diag(shares), shares * miss  # k is 0 between two of them: features are unit vectors
        found = np.linalg.solve(C + lam * np.eye(4), S)
        np.testing.assert_allclose(found, miss * shares / (shares + lam))
    assert (0.2 * 0.9 / 1) ** 2 == pytest.approx(0.0324) and (0.2 * 0.1 / 0.2) ** 2 == pytest.approx(0.01)


@claim(
    "what_moved/exercises",
    "One bandwidth, .1, and no noise: with the paper's λ = .178 the CKCE rises by 20 % from the ends to the middle.",
    "Now λ = .01.",
    "It rises by 137 %; with bandwidths from .05 to .5 by 100 % to 163 %.",
)
def test_a_smaller_penalty_is_not_steadier():
    at = {penalty: rises(rules=ONE)[:, k] for k, penalty in enumerate(sims.SHIFT_PENALTIES)}
    assert round(at[0.178][ONE.index("0.1")], 2) == 0.20 and round(at[0.01][ONE.index("0.1")], 2) == 1.37
    assert (round(at[0.01].min(), 2), round(at[0.01].max(), 2)) == (1.00, 1.63)
    values = []
    for p, weights, miss in (endless.papers_world(), endless.papers_world(alpha=1.0)):  # by the definition, once
        rows, root = np.column_stack([1 - p, p]), np.sqrt(weights)
        K = root[:, None] * linear_plus_gaussian(0.1)(rows) * root
        a = np.linalg.solve(K + 0.01 * np.eye(len(K)), root * miss)
        values.append(2 * a @ K @ a)
    assert values[0] / values[1] - 1 == pytest.approx(at[0.01][ONE.index("0.1")], rel=1e-6)


@claim("12_what_moved", "11 eigenvalues lie above .01 in the middle, and 3 at the ends")
def test_eigenvalues_above_the_small_penalty():
    for alpha, wanted in ((0.0, 11), (1.0, 3), (-1.0, 3)):
        mu, _ = endless.directions(*endless.papers_world(alpha=alpha), 0.1)
        assert (mu > 0.01).sum() == wanted


@claim(
    "12_what_moved",
    "Choose 4, 8, 16, 32 inputs, then all.",
    "Each world of a few inputs has its limit, and the limits grow, from .23 to 5 · 10²²",
    "(computed with eighty digits)",
)
@claim("what_moved/exercises", "With four inputs the limit is .23.", "It is 4.9: a function that runs through")
def test_every_finite_world_has_a_limit_and_the_limits_grow():
    assert endless.ATOMS == [4, 8, 16, 32]
    limits = [endless.limit(m) for m in endless.ATOMS]
    assert [f"{each:.2g}" for each in limits] == ["0.23", "4.9", "2.4e+06", "5.3e+22"]
    for m, found in zip(endless.ATOMS, limits, strict=True):  # in another precision
        world = endless.exact_world(endless.atoms(m), endless.GAMMA, 100)
        assert float(sum(endless.squares(*world, 100))) == pytest.approx(found, rel=1e-9)
    for m in (4, 8):  # where the CKCE goes
        assert endless.ckce_of(*endless.spectrum_of(str(m)), 1e-12) == pytest.approx(endless.limit(m), rel=1e-3)


@claim("12_what_moved", "with endless inputs there is none (errata C3b).")
def test_with_endless_data_the_value_goes_on_growing():
    penalties = 10.0 ** -np.arange(2, 13)
    values = np.array([endless.ckce_of(*endless.spectrum_of("endless"), each) for each in penalties])
    assert (np.diff(values) > 0).all() and values[-1] > 4 * values[-2] > 16 * values[-3]
    # twice the nodes, and another rule, change nothing that is seen
    x, w = np.polynomial.legendre.leggauss(400)
    w = w * np.exp(-8 * x**2)
    again = endless.directions(expit(5 * x), w / w.sum(), expit(5 * x) - expit(x), endless.GAMMA)
    np.testing.assert_allclose([endless.ckce_of(*again, each) for each in penalties], values, rtol=2e-3)


@claim(
    "12_what_moved",
    "There is one if some function of the kernel's space is the miss at every prediction that occurs.",
    "So it matters which predictions occur, not how often.",
)
def test_a_miss_in_the_space_of_the_kernel_has_a_limit(seeds):
    """The miss is .2 k(·, z): its squared norm is the limit on an interval, and less is the limit on four inputs."""
    shares, nodes, rng = [], np.polynomial.legendre.leggauss(60), seeds.rng(7)
    for _ in range(60):
        z, limits = rng.uniform(0.2, 0.8), []
        kernel = lambda p, z=z: linear_plus_gaussian(0.25)(np.column_stack([1 - p, p]), np.array([[1 - z, z]]))[:, 0]
        whole = 2 * 0.04 * (z**2 + (1 - z) ** 2 + 1)
        few = rng.permutation(np.arange(8) / 7)[:4]
        for p, w in (((nodes[0] + 1) / 2, nodes[1]), (few, np.ones(4))):
            for power in (0, 1):  # two crowds on the same predictions
                weights = w * (0.1 + p) ** power
                values = [
                    endless.ckce_of(*endless.directions(p, weights / weights.sum(), 0.2 * kernel(p), 0.25), lam)
                    for lam in (1e-9, 1e-11)
                ]
                assert values[0] == pytest.approx(values[1], rel=5e-3)
                limits.append(values[1])
        assert limits[0] == pytest.approx(limits[1], rel=5e-3) and limits[2] == pytest.approx(limits[3], rel=5e-3)
        assert limits[0] == pytest.approx(whole, rel=1e-3)
        shares.append(limits[2] / whole)
    assert max(shares) < 1 + 1e-8 and min(shares) < 0.9  # at most 1, if z is one of the four


@claim(
    "12_what_moved",
    "The minimum is flat: a tenth of the chosen $\\lambda$ mostly predicts nearly as well, yet makes the CKCE several "
    "times as large.",
)
@slow
def test_the_penalty_that_held_out_data_choose_is_not_sharp(seeds):
    lost, larger = [], []
    for seed in seeds(12):
        times = []
        for model in ("logistic regression", "naive Bayes"):
            one = top(model, seed)
            choice = select_regularization(*one, kernel=NEAR, rng=seed)
            two = [choice.regularization, choice.regularization / 10]  # the second may lie below all candidates
            best, tenth = select_regularization(*one, kernel=NEAR, candidates=two, rng=seed).errors
            assert best == pytest.approx(choice.errors.min())
            lost.append((tenth - best) / (choice.baseline - best))
            large, small = (ckce(*one, kernel=NEAR, regularization=penalty) for penalty in reversed(two))
            times.append(large / small)
        larger.append(np.mean(times))
    assert within(sum(np.array(lost) < 1 / 6), 24, 0.9, 1)
    assert mean_within(larger, 3, 5)


@claim(
    "12_what_moved",
    "From mostly sure to mostly doubtful images each of the three grows, for the forest, logistic regression and naive "
    "Bayes, and with $\\lambda = .001$ too, on most splits of these digits.",
)
@slow
def test_all_three_errors_move_with_the_crowd_on_most_splits(seeds):
    """From sure images up to nine times as heavy to doubtful ones so."""
    for model in CURVE:
        grown = []
        for seed in seeds(20):
            hit, confidence = top(model, seed)
            phi, miss = low_rank(NEAR, confidence, tol=1e-10).features, confidence - hit
            bins = np.eye(10)[np.maximum(np.ceil(confidence * 10) - 1, 0).astype(int)]
            up = 9 ** ((stats.rankdata(confidence) - 1) / (len(hit) - 1))
            data = phi, miss[:, None], bins, miss
            pairs = [[sims.three_root_errors(*data, w, lam) for w in (1 / up, up)] for lam in (PAPERS, 0.001)]
            grown.append([np.greater(*pair).all() for pair in pairs])
        assert all(most(int(hits)) for hits in np.sum(grown, axis=0))


@claim("12_what_moved", "A new crowd is drawn by keeping each row with a probability in proportion to its weight.")
@claim("what_moved/exercises", "New share over old.")
def test_weights_of_groups_make_the_shares(seeds):
    for k in range(20):
        rng = seeds.rng(16, k)
        group, shares = exercises._groups_and_shares(rng)
        w = exercises.crowd_weights(group, shares)
        np.testing.assert_allclose(np.bincount(group, w) / len(group), shares)
        rows = rng.integers(0, len(group), 20_000)
        kept = rows[rng.random(20_000) < w[rows] / w.max()]
        np.testing.assert_allclose(np.bincount(group[kept], minlength=3) / len(kept), shares, atol=0.06)


@claim(
    "12_what_moved",
    "In a **covariate shift** inputs move and $P(Y \\mid x)$ stays",
    "In a **label shift** the shares of the classes move and $P(x \\mid Y)$ stays",
    "A label shift moves $P(Y \\mid p)$, too, and a covariate shift may.",
    "**Importance weights**, new share over old, turn means over the old crowd into means over the new one.",
    "Weights that depend on the prediction alone change the crowd and leave $P(Y \\mid p)$ as it is.",
)
def test_shifts_by_name(seeds):
    """Finite worlds: six inputs, two of them with each of three predictions; joint[x, y] is their probability."""
    said = np.repeat(np.arange(3), 2)

    def at_each_prediction(joint):
        mass = np.array([joint[said == k].sum(axis=0) for k in range(3)])
        return mass[:, 1] / mass.sum(axis=1)

    for k in range(20):
        rng = seeds.rng(10, k)
        share, rate, f = rng.dirichlet(np.ones(6)), rng.random(6), rng.random(6)
        old = share[:, None] * np.column_stack([1 - rate, rate])
        new = rng.dirichlet(np.ones(6))
        covariate = new[:, None] * np.column_stack([1 - rate, rate])
        np.testing.assert_allclose(covariate[:, 1] / covariate.sum(axis=1), rate)
        moved = at_each_prediction(covariate) - at_each_prediction(old)
        assert np.abs(moved).max() > 1e-6
        alike = np.repeat(rate[::2], 2)  # inputs with one prediction do not differ
        pair = [at_each_prediction(s[:, None] * np.column_stack([1 - alike, alike])) for s in (share, new)]
        np.testing.assert_allclose(*pair)
        label = old * rng.uniform(0.2, 0.8, 2)
        label /= label.sum()
        np.testing.assert_allclose(label / label.sum(axis=0), old / old.sum(axis=0))
        assert (np.abs(at_each_prediction(label) - at_each_prediction(old)) > 1e-9).all()
        assert share @ (new / share * f) == pytest.approx(new @ f)
        weighted = old * rng.random(3)[said][:, None]
        np.testing.assert_allclose(at_each_prediction(weighted), at_each_prediction(old))


@claim("what_moved/scenes", "clean (ring) and now; bars: ± 2 standard errors", "digits, ten classes, λ = 0.17")
def test_the_bars_of_darker_digits_are_two_standard_errors():
    (old, _), (now, spread) = scenes.errors_in_light(0), scenes.errors_in_light(-50)
    for k, row in enumerate(scenes.darker_digits().artists["rows"]):
        (bar,), (way,) = (np.array(row[name].get_segments())[:, :, 0] for name in ("bar", "way"))
        np.testing.assert_allclose(bar, now[k] + [-2 * spread[k], 2 * spread[k]])
        np.testing.assert_allclose(way, [old[k], now[k]])
    assert round(on_digits.PENALTY, 2) == 0.17


@claim("12_what_moved", "on most other splits such images are right more often in the dark, too.")
@slow
def test_in_the_dark_the_curve_moves_on_most_splits(seeds):
    more, (pixels, labels) = 0, load_digits(return_X_y=True)
    for seed in seeds(20):  # trained anew on clean digits
        split = train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=seed)
        train, test, y_train, y = split
        shares = []
        for p in np.split(trained("logistic regression", train, y_train, np.concatenate([test, test / 2])), 2):
            hit, confidence = top_label(y, p)
            shares.append(hit[(confidence >= 0.5) & (confidence < 0.7)].mean())
        more += shares[1] > shares[0]
    assert most(int(more))


@claim(
    "what_moved/exercises",
    "From .100 to .349 (λ = .17).",
    "The mean confidence falls from .87 to .58",
    "Beyond 2 chance hardly explains it",
)
def test_the_crowd_moves_in_the_dark():
    found = []
    for change, said in ((0, 0.100), (-50, 0.349)):
        each = brightened_digits("logistic regression", change)
        assert round(ckce(each.y_true, each.y_prob, kernel=on_digits.KERNEL, regularization=PAPERS) ** 0.5, 3) == said
        found.append(round(each.y_prob.max(axis=1).mean(), 2))
    assert found == [0.87, 0.58]
    assert stats.norm.sf(2) < 0.025


@claim("12_what_moved", "CKCE and ECE disagree on logistic regression and naive Bayes")
def test_the_table_ranks_two_models_in_two_ways():
    table = digits_ckce.table_1()[["CKCE", "ECE"]].astype(float)
    logistic, bayes = (table.loc[name] for name in ("logistic regression", "naive Bayes"))
    assert logistic["CKCE"] < bayes["CKCE"] and logistic["ECE"] > bayes["ECE"]


@claim(
    "12_what_moved",
    "most cells of logistic regression hold one image: there the “frequency” is one label (errata C2).",
)
@slow
def test_cells_hold_single_images_on_most_splits(seeds):
    splits = (another_split("logistic regression", seed) for seed in seeds(20))
    counts = [np.bincount(cell_of(each.y_prob, digits_ckce.STEPS)) for each in splits]
    assert most(sum((count == 1).mean() > 0.5 for count in counts))
