"""The list of what papers print is complete: every code that the course cites is there, once, and leads somewhere."""

import ast
import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, softmax
from scipy.stats import binom, chi2
from seeds import as_shown, mean_within
from sentences import LESSONS, NOTEBOOKS, ROOT, notebook

from calibtutor import calibration_risk, fit_kde, fit_kkr, fit_ukkr, jkce, laplacian, select_estimator
from calibtutor import simplex_calibration_error as simplex_error
from calibtutor.data.networks import network_logits
from calibtutor.door.predictions import residuals
from calibtutor.estimates.kde import BANDWIDTHS, frequencies
from calibtutor.lessons.what_moved import endless
from calibtutor.reproductions import networks, shift

CODE = re.compile(r"(?<![\w-])([GKCPU])(\d+)([a-z]?)(?![\w(])(?:(?:–| to )\1?(\d+)\b)?")
PAGE = (NOTEBOOKS / "errata.md").read_text(encoding="utf-8")
PARTS = ["Wrong in print", "Left unsaid", "Our criticism"]


def parts(page):
    """The rows of each part: {title: [cells of a row, …]}."""
    titled = (part.partition("\n") for part in re.split(r"^## ", page, flags=re.M)[1:])
    return {title: [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| (?!code \|)", line)]
            for title, _, text in titled}


ROWS = [row for rows in parts(PAGE).values() for row in rows]


def codes(text):
    """The codes in a text; “K6–K10” are five, and “errata S” is one."""
    found = set(re.findall(r"\berrata (S)\b", text))
    for paper, first, letter, last in CODE.findall(text):
        found |= {f"{paper}{k}{letter}" for k in range(int(first), int(last or first) + 1)}
    return found


def listed():
    return [code for row in ROWS for code in row[0].split(", ")]


def spoken(path):
    """The texts of a notebook, or of a source file."""
    if path.suffix == ".ipynb":
        return "\n".join(cell.source for cell in notebook(path).cells)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(text for text in texts if " " in text.strip())


@pytest.mark.parametrize("folder", [NOTEBOOKS, LESSONS, ROOT / "calibtutor"], ids=lambda folder: folder.name)
def test_every_code_that_is_cited_is_listed(folder):
    cited = {}
    for path in sorted([*folder.rglob("*.ipynb"), *folder.rglob("*.py")]):
        if ".ipynb_checkpoints" not in path.parts:
            for code in codes(spoken(path)):
                cited.setdefault(code, path.name)
    assert {code: where for code, where in cited.items() if code not in listed()} == {}
    assert len(cited) > 15


def test_every_row_stands_once_and_leads_to_what_exists():
    assert [code for code, times in Counter(listed()).items() if times > 1] == []
    assert {f"K{k}" for k in range(1, 36)} | {"C3b"} | codes(PAGE.partition("## Wrong")[0]) <= set(listed())
    assert list(parts(PAGE)) == ["What was read", *PARTS] and parts(PAGE)["What was read"] == []
    lines = [line for line in PAGE.splitlines() if line.startswith("|") and not re.match(r"\| code|\|---", line)]
    assert len(lines) == len(ROWS) and [row for row in ROWS if len(row) != 6 or not all(row)] == []
    for row in ROWS:
        for name in re.findall(r"`([\w/]+\.py)`", row[-1]):
            assert any((folder / name).exists() for folder in (ROOT, ROOT / "calibtutor")), name
        for number in re.findall(r"notebooks? (\d\d)", row[-1]):
            assert list(NOTEBOOKS.glob(f"{number}_*.ipynb")), row


def row_of(code):
    (row,) = (row for row in ROWS if code in row[0].split(", "))
    return " | ".join(row)


def test_numbers_of_rows(seeds):
    assert "at n = 6,400 the printed λ are 6,400 and 716 times as large" in row_of("G2")
    assert [round(6400 ** (0.5 + power)) for power in (0.5, 0.25)] == [6400, 716]
    assert "with k = l = 1, centred permutations do so in 32 % for large n" in row_of("S")
    assert round(chi2.sf(1, 1), 2) == 0.32  # (Σδ)² > Σδ²
    assert "at least −.001001 on any rows, and −.00002 on the validation set" in row_of("C1")
    assert round(jkce(np.arange(1000), np.full((1000, 1000), 0.001)), 6) == -0.001001  # no two labels alike
    alike = (50_000 / 1000 - 1) / (50_000 - 1)  # of two rows, the classes being balanced
    assert round((1 + 1 / 1000) * (alike - 1 / 1000), 6) == -2e-5
    assert "the mean of the five roots, which is at most the root of the mean" in row_of("G7")
    for seed in seeds(20):
        p = np.random.default_rng(seed).random(100)
        y = np.random.default_rng(seed + 1).random(100) < p**2
        found = select_estimator(y, p, candidates=["h = 0", "15 bins"], rng=seed).table
        assert (found["root_risk"] < 100 * np.sqrt(found["risk"].astype(float))).all()


@pytest.mark.parametrize("which", range(5))
def test_kkr_and_ukkr_meet_as_the_penalty_vanishes_also_if_predictions_are_equal(which, seeds):
    assert "as λ → 0 the two still tend to the same function" in row_of("G28")
    rng, kernel = seeds.rng(28, which), laplacian(0.3)
    p, y, at = np.repeat(rng.dirichlet(np.ones(3), 8), 2, axis=0), rng.integers(0, 3, 16), rng.dirichlet(np.ones(3), 6)
    assert np.linalg.matrix_rank(kernel(p)) == 8

    def apart(penalty):
        one, other = (fit(y, p, kernel=kernel, regularization=penalty)(at) for fit in (fit_kkr, fit_ukkr))
        return np.abs(one - other).max()

    assert apart(1e-2) > 1e-3 and apart(1e-9) < 1e-4


def test_hoeffdings_bound_with_n():
    row = row_of("K34")
    assert ".74 for an event of probability 1" in row and round(2 * np.exp(-1), 2) == 0.74  # |±1| ≥ ε = P = 1, n = 2
    limit = lambda level, n: np.sqrt(2 * np.log(1 / level) / n)  # of corollary 3.7, over P or B
    assert "with it for levels between .37 and .5" in row
    for level in (0.369, 0.499):  # T is 1 or −1, equally likely
        assert limit(level, 2) < 1 and level < 0.5
    assert limit(0.367, 2) > 1
    assert "at .05 that region cannot be left for n ≤ 5" in row and limit(0.05, 5) > 1 > limit(0.05, 6)
    assert "for n ≥ 10 Pinelis' inequality" in row
    # With E v = 0, |v| ≤ 1: T ≥ c only if ‖Σv‖ ≥ n√c, of probability 2 exp(−nc/2) at most.
    pinelis = lambda n: 2 * np.exp(-n * limit(0.05, n) / 2)
    assert all(pinelis(n) <= 0.05 for n in range(10, 10_000)) and pinelis(9) > 0.05
    for n in range(2, 200):  # the model that is always wrong
        ones = 2 * np.arange(n + 1) - n
        left = (ones**2 - n) / (n * (n - 1)) >= limit(0.05, n)
        assert binom.pmf(np.arange(n + 1), n, 0.5)[left].sum() <= 0.05


def test_the_appendix_has_b_and_its_bound_holds_where_b_is_2p():
    row = row_of("K25")
    bound = lambda eps, n, alpha, beta: 2 * np.exp(-(eps**2) * n / (2 * 4 ** (1 + 1 / alpha - 1 / beta)))  # with P = 1
    assert "n being at most 3⌊n/2⌋" in row and all(n <= 3 * (n // 2) for n in range(2, 10_000))  # and B²/P² is 4
    assert "α = 100 and β = 1 give a bound of .75 for an event of probability 1" in row
    assert round(bound(1, 2, 100, 1), 2) == 0.75 and bound(1, 2, 2, 2) > 1
    for n in range(2, 200):  # the model that is always wrong, at each value of |T|
        ones = 2 * np.arange(n + 1) - n
        values, chances = np.abs(ones**2 - n) / (n * (n - 1)), binom.pmf(np.arange(n + 1), n, 0.5)
        for eps in np.unique(values[values > 0]):
            hoeffding = 2 * np.exp(-(n // 2) * eps**2 / 2)
            assert chances[values >= eps].sum() <= hoeffding <= bound(eps, n, 2, 2)


# Root risks × 100 of tables 1 to 5, kkr above ukkr.
TABLES = {1: ("CIFAR-10", "top-label"), 2: ("CIFAR-100", "top-label"), 3: ("CIFAR-100", "canonical"),
          5: ("CIFAR-10", "canonical")}
RISKS = {4: ([12.17, 12.57, 10.63], [12.17, 12.57, 10.63])} | {k: networks.PUBLISHED[TABLES[k]][-2:] for k in TABLES}


def test_kde_is_an_outlier_in_two_tables():
    first, second = (np.array(networks.PUBLISHED[data, "top-label"]) for data in networks.DATA)
    assert "much the largest for eight of ten networks" in row_of("G32")
    assert sum((each[2] > 1.05 * np.delete(each, 2, axis=0).max(axis=0)).sum() for each in (first, second)) == 8
    assert "six in ten of the wide ResNet's confidences are 1 (5.03/12.31 = .41 is at least the share" in row_of("G32")
    assert "must be .83 or more" in row_of("G32") and round(1 - 0.41**2, 2) == 0.83  # a pair is NaN if either is
    assert tuple(first[[4, 2], 2]) == (5.03, 12.31) and round(5.03 / 12.31, 2) == 0.41


def test_ukkr_is_not_always_ahead_of_kkr_in_the_tables():
    signs = {table: np.sign(np.subtract(ukkr, kkr)) for table, (kkr, ukkr) in RISKS.items()}
    count = lambda signs: [int((signs == sign).sum()) for sign in (-1, 0, 1)]
    assert count(np.concatenate(list(signs.values()))) == [5, 15, 3] and count(signs[3]) == [1, 3, 1]
    assert "in 5 columns of 23, the same in 15, the larger in 3 (table 3: 1, 3 and 1)" in row_of("G14")
    assert "18.59 for kkr and 18.61 for both that are named" in row_of("G14")
    assert RISKS[2][0][3] == 18.59 < RISKS[2][1][3] == 18.61  # ResNet-110; bins have 18.61 too
    assert "14.98 ± .31 for kde and 14.96 ± .31 for the others" in row_of("G15") and 14.98 - 0.31 < 14.96


def as_released(hit, p, at, h):
    """kde's frequencies by that code's formula, in its float32: NaN where a confidence is 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = p / np.float32(h) + 1, (1 - p) / np.float32(h) + 1
        log_kernel = (a - 1) * np.log(at[:, None]) + (b - 1) * np.log(1 - at[:, None])
        log_kernel -= (gammaln(a) + gammaln(b) - gammaln(a + b)).astype(np.float32)
        return np.exp(logsumexp(log_kernel[:, hit == 1], axis=1) - logsumexp(log_kernel, axis=1))


def roots_of_kde(hit, p, order, bandwidths):
    """100 × kde's root risk, the mean of five folds: on all rows, and on those whose confidence is below 1."""
    risks = []
    for part, h in product(np.array_split(order[:8000], 5), bandwidths):
        rest = np.setdiff1d(order[:8000], part)
        fitted = fit_kde(hit[rest], p[rest], bandwidth=h)
        risks.append([calibration_risk(fitted, hit[rows], p[rows]) for rows in (part, part[p[part] < 1])])
    risks = np.reshape(risks, (5, len(bandwidths), 2))
    return 100 * np.sqrt(risks[:, risks.mean(axis=0).argmin(axis=0), [0, 1]]).mean(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "words"), [
    (1.5, "× 1.5: 24 % of the confidences are 1, and kde has 7.27 to 7.65 on all rows (ukkr: 7.28 to 7.66) and 9.54 to "
     "10.01 without these, over five splits"),
    (2, "× 2: 55 %, 7.61 to 7.97 (ukkr: 7.64 to 8.03) and 16.22 to 16.93")])
def test_without_the_surest_rows_kde_has_a_larger_risk(factor, words):
    assert words in row_of("G32")
    y, logits = network_logits("Wide ResNet-32")
    said = softmax(np.float32(factor) * logits, axis=1)
    hit, p = (logits.argmax(axis=1) == y).astype(int), said.max(axis=1)
    assert said.min() > 0
    found = as_released(hit[:2000], p[:2000], p[2000:2500], BANDWIDTHS[5])
    np.testing.assert_array_equal(np.isnan(found), p[2000:2500] == 1)
    ours = frequencies(hit[:2000], p[:2000].astype(float), p[2000:2500].astype(float), BANDWIDTHS[5:6])[0]
    np.testing.assert_allclose(found[p[2000:2500] < 1], ours[p[2000:2500] < 1], atol=1e-3)
    assert f"{100 * (p == 1).mean():.0f} %" in words and hit[p == 1].mean() > 0.99  # “nearly always right”
    rows = []
    for number in range(5):
        order = np.random.default_rng(as_shown([0, number])).permutation(10_000)
        ukkr = select_estimator(hit, p, candidates=["ukkr"], rng=np.random.default_rng(as_shown([0, number]))).table
        kde, others = roots_of_kde(hit, p.astype(float), order, BANDWIDTHS[4:9])
        rows.append([kde, ukkr["root_risk"].iloc[0], others])
    places = [words.index(f"{column.min():.2f} to {column.max():.2f}") for column in np.transpose(rows)]
    assert places == sorted(places)


def test_own_pairs_raise_the_estimate(seeds):
    row, kernel, n, penalty = row_of("G20"), laplacian(0.3), 10, 1e-3
    assert "three classes, ten rows and λ = .001 (predictions uniform, a Laplacian kernel of width .3)" in row
    found = []
    for draw in range(400):
        rng = seeds.rng(20, draw)
        p, at = rng.dirichlet(np.ones(3), n), rng.dirichlet(np.ones(3), 200)
        y = np.array([rng.choice(3, p=each) for each in p])
        targets, K, k = residuals(y, p) @ residuals(y, p).T, np.kron(kernel(p), kernel(p)), kernel(at, p)
        fits = []
        for pairs in (np.ones((n, n), bool), ~np.eye(n, dtype=bool)):  # of eq. 27, of eq. 20
            used, weights = pairs.ravel(), np.zeros(n * n)
            ridge = penalty * used.sum() * np.eye(used.sum())
            weights[used] = np.linalg.solve(K[np.ix_(used, used)] + ridge, targets.ravel()[used])
            fits.append(np.einsum("ai,ij,aj->a", k, weights.reshape(n, n), k))
        paper = fit_kkr(y, p, kernel=kernel, regularization=penalty)(at)
        np.testing.assert_allclose(fits[0], np.diag(paper), atol=1e-9)
        found.append(np.mean(fits, axis=1))
    with_own, without = np.transpose(found)
    assert "to .14 on average, and to about 0 without them" in row
    assert mean_within(with_own, 0.135, 0.15, refuses=(0, 0.3)) and (with_own > without).all()
    assert mean_within(without, -0.01, 0.01, refuses=0.135)


def test_a_split_leaves_the_bias_of_what_was_fitted():
    assert "the mean of eq. 21 is p(1 − p)/n on any test rows, and the error is 0" in row_of("G31")
    for p, n in ((0.3, 5), (0.5, 20), (0.9, 100)):
        hits = np.arange(n + 1)
        assert np.isclose(binom.pmf(hits, n, p) @ (p - hits / n) ** 2, p * (1 - p) / n, rtol=1e-9)


def test_two_pairs_hold_no_square():
    assert "with h ≠ h* at (a, b) and (b, a) alone, have no such A" in row_of("G23")
    differ, chance = np.array([[False, True], [True, False]]), np.array([0.4, 0.6])
    assert [A for A in ([0], [1], [0, 1]) if differ[np.ix_(A, A)].all()] == []
    assert chance @ (0.5 * differ) ** 2 @ chance > 0  # E (h − h*)², where they differ by one half


def test_zero_falls_out_of_the_released_codes_bins():
    assert "a new 0 gets the gap of the last bin" in row_of("G11")
    bins = np.digitize([0.0, 0.01, 1.0], np.linspace(0, 1, 16), right=True) - 1  # how that code numbers them
    assert list(bins) == [-1, 0, 14]  # and gaps[-1] is the last


def test_the_constant_model_has_no_ece_if_classes_are_balanced():
    row = row_of("C7")
    assert "it is 0" in row
    labels, says = np.arange(1000), np.full((1000, 1000), 0.001)
    assert 2 * simplex_error(labels, says) == pytest.approx(0, abs=1e-12)  # the L¹ norm
    assert "at most .0005 with the printed accuracy of .001" in row  # rounded to three digits


def test_a_characteristic_kernel_need_not_be_universal():
    assert "1 on the diagonal and −1 beside it" in row_of("K35")
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert min(np.linalg.eigvalsh(K)) > -1e-12
    for one in np.linspace(0, 1, 5):  # the squared MMD of (one, 1 − one) and (other, 1 − other)
        for other in {*np.linspace(0, 1, 5)} - {one}:
            apart = np.array([one - other, other - one])
            assert apart @ K @ apart > 0
    same = np.array([0.5, 0.5]) * 0.2  # an error of .2 at both points
    assert same @ K @ same == 0


def test_how_much_the_ckce_varies():
    row = row_of("C3")
    assert "it varies by .03 to .07 over the shift (JKCE: .51 to .60)" in row
    rough = {metric: [shift.variation(shift.curves(each)[0][metric])[0] for each in shift.BANDWIDTHS[1:]]
             for metric in ("CKCE", "JKCE")}
    assert [round(float(end(rough["CKCE"])), 2) for end in (min, max)] == [0.03, 0.07]
    assert [round(float(end(rough["JKCE"])), 2) for end in (min, max)] == [0.51, 0.60]
    half = [endless.ckce_of(*endless.directions(*endless.papers_world(alpha=alpha), 1.0), shift.N**-0.25)
            for alpha in shift.ALPHAS[12:]]
    curve = [*half[:0:-1], *half]  # the world is symmetric
    assert "by 31 % for 1 (standard deviation over mean: .09)" in row and len(curve) == len(shift.ALPHAS)
    assert (round(shift.change(curve)[0], 2), round(shift.variation(curve)[0], 2)) == (0.31, 0.09)
