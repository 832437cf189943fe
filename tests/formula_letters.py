"""What the letters of the derivations' formulas are in a world: read by tests/lessons/test_formulas.py.

`p` is a name, `p[]` one with indexes, `k()` a function; `draws` and their letters as in formula_reader. With `at` a
formula is evaluated at several places, as its function is. Labels count from 1, as indexes do.
"""

from itertools import product

import numpy as np
from formula_reader import INDEXES, read
from scipy.linalg import khatri_rao

from calibtutor import skce
from calibtutor.kde import dirichlet_log_kernel
from calibtutor.kernels import rbf
from calibtutor.lessons.shared import ckce_atoms, kce_atoms, klce_atoms
from calibtutor.predictions import residuals
from calibtutor.pvalues import rank_pvalues
from calibtutor.risk import fit_kkr

__all__ = ["LETTERS", "complete"]


def complete(env, definitions=""):
    """With a place for every letter that a mean or a sum fills in, and with what is defined in LaTeX."""
    letters = [letter for _, group in env.get("draws", ()) for letter in group]
    places = [key for at in env.get("at", ()) for key in at if key != "draws"]
    holes = dict.fromkeys([*INDEXES, *places, *letters, *(letter + "'" for letter in letters)])
    env = holes | {"fixed": frozenset(), "range": {}} | env
    return read(rf"0,\quad {definitions}", env)[1] if definitions else env


def table(keys, values):
    """A function of a row, or of numbers, from its values at some."""
    found = {np.round(np.atleast_1d(key), 12).tobytes(): value for key, value in zip(keys, values, strict=True)}
    return lambda *row: found[np.round(np.hstack(row), 12).tobytes()]


def pairs(names, points):
    return [dict(zip(names, pair, strict=True)) for pair in product(points, repeat=2)]


def laplace_features(p):
    return kce_atoms.coordinates(kce_atoms.pairwise(kce_atoms.laplace, p))


def finite(w, kernel=kce_atoms.laplace):
    """A population of kinds and labels."""
    m, d = w.predictions.shape
    p, r, e = np.repeat(w.predictions, d, axis=0), np.repeat(w.frequencies, d, axis=0), np.tile(np.eye(d), (m, 1))
    h = kce_atoms.pairwise(kernel, p) * ((p - e) @ (p - e).T)
    letters = {"p": p, "r": r, "e_Y": e, r"\delta": p - e, "Y": np.tile(np.arange(d), m) + 1, "Z": np.arange(m * d),
               "c": p.max(axis=1), "k^*": p.argmax(axis=1) + 1, "p_1": p[:, 1], "r_1": r[:, 1]}  # fmt: skip
    mass = (w.weights[:, None] * w.conditionals).ravel()
    return {"draws": [(mass, letters)], r"\bar{r}": w.marginal, "range": {"k": range(1, d + 1)}, "k()": kernel,
            "h()": lambda z, v: h[z, v], "h_1()": lambda z: h[z] @ mass,
            r"\varphi()": table(p, laplace_features(p))}  # fmt: skip


def one_row(w):
    env = finite(w)
    mass, letters = env["draws"][0]
    at = [{name: values[a] for name, values in letters.items()} | {"z": a} for a in range(len(mass))]
    return env | {"at": at, "P()": lambda z: mass[z]}


def bets(w):
    """A function b = Σ_c k(·, z_c) β_c beside a world."""
    world, gap = w["world"], kce_atoms.weighted_gap(w["world"])
    near = lambda p, centres: np.exp(-np.linalg.norm(p - centres, axis=1) / kce_atoms.BANDWIDTH)
    points = np.vstack([world.predictions, w["centres"]])
    phi = laplace_features(points)
    return finite(world) | {"b()": lambda p: near(p, w["centres"]) @ w["beta"], r"\varphi()": table(points, phi),
                            "s()": lambda p: near(p, world.predictions) @ gap, "b": phi[5:].T @ w["beta"]}  # fmt: skip


def bilinear(w):
    env = finite(w["world"]) | {"h()": lambda p, q: p @ w["m"] @ q + w["b"]}
    if len(w["world"].weights) == 2:  # the data sets of three rows
        mass, kinds, labels = w["world"].samples(3)
        p = w["world"].predictions[kinds]
        env |= {"n": 3, "draws": [*env["draws"], (mass, {"p[]": p, r"\delta[]": p - np.eye(2)[labels]})]}
    return complete(
        env,
        r"z = \langle \delta, \delta'\rangle,\quad h = h(p, p'),\quad h^* = \langle p - r, p' - r'\rangle,"
        r"\quad R(f) = \mathbb{E}\,(z - f)^2",
    )


def tiny(w):
    """A world, and all its data sets of n rows."""
    atoms, rows, n = w["atoms"], w["rows"], w["n"]
    root, x = np.sqrt(atoms.mass), atoms.x[rows].mean(axis=1)
    mu = np.linalg.eigvalsh(root[:, None] * atoms.h * root)
    sets = {f"SKCE_{name}": getattr(kce_atoms, f"estimate_{name}")(atoms.h, rows) for name in ("b", "uq", "ul")}
    sets |= {"h[]": kce_atoms.table(atoms.h, rows), "KCE_b": np.linalg.norm(x, axis=1), r"\bar{x}": x}
    kinds = {"Z": np.arange(len(root)), "x": atoms.x}
    return {"n": n, "H": w.get("bound", 2.0), "t": w.get("t"), "draws": [(w["mass"], sets), (atoms.mass, kinds)],
            "h()": lambda z, v: atoms.h[z, v], "h_1()": lambda z: atoms.h[z] @ atoms.mass, r"\mu[]": mu,
            "SKCE": kce_atoms.skce_of(w), "range": {"m": range(1, len(mu) + 1)}}  # fmt: skip


def replaced(w):
    """Without the mean of x: two data sets that differ in one row are no independent draws."""
    env = tiny(w)
    env["draws"][0][1].pop(r"\bar{x}")
    return env


def normal_limit(w):
    """Z_m is one normal number for all m: right for means of sums, not for their variance."""
    env, (nodes, mass) = tiny(w), np.polynomial.hermite_e.hermegauss(8)
    z = np.repeat(nodes[:, None], len(env[r"\mu[]"]), axis=1)
    return env | {"draws": [*env["draws"], (mass / mass.sum(), {"Z[]": z})]}


def either(w):
    """U is one estimate, then the other."""
    env = tiny(w)
    (mass, sets), kinds = env["draws"]
    return env | {"U": None, "at": [{"draws": [(mass, sets | {"U": sets[u]}), kinds]} for u in ("SKCE_uq", "SKCE_ul")]}


def spectral(w):
    """Eigenfunctions of h on twelve rows."""
    root = np.sqrt(w["atoms"].mass)
    mu, u = np.linalg.eigh(root[:, None] * w["atoms"].h * root)
    u /= root[:, None]
    return {"n": 12, "h[]": w["atoms"].h[np.ix_(w["rows"], w["rows"])], r"\mu[]": mu, "u()": u.__getitem__,
            "z[]": w["rows"], "W[]": u[w["rows"]].sum(axis=0) / np.sqrt(12), "range": {"m": range(1, len(mu) + 1)},
            "SKCE_uq": skce(w["y"], w["p"], kernel=kce_atoms.KERNEL)}  # fmt: skip


def bootstrap(w):
    counts, h = (w["drawn"][:, :, None] == np.arange(4)).sum(axis=1), w["h"]
    return {"n": 4, "h[]": h, r"\bar{h}[]": h.mean(axis=1), "SKCE_b": h.mean(),
            "draws": [(np.full(256, 1 / 256), {"C[]": counts, "i[]": w["drawn"] + 1})]}  # fmt: skip


def triples(w):
    T = w["statistic"].round(9)
    letters = {"T": T[:, 0], "T^*[]": T[:, 1:], "p": rank_pvalues(w["statistic"])[:, 0]}
    return {"B": 2, "draws": [(w["mass"], letters)], "range": {"b": (1, 2)}}


def rows(w):
    p, y, e = w["p"], w["y"], np.eye(3)
    weight = np.exp(dirichlet_log_kernel(p, p, 0.1))
    return {"n": len(p), "p[]": p, "y[]": y + 1, r"\delta[]": p - e[y], "k[]": kce_atoms.KERNEL(p), "e[]": e,
            "c[]": p.max(axis=1), "hit[]": (p.argmax(axis=1) == y).astype(float),
            "k()": lambda a, b: np.exp(-np.linalg.norm(a - b) / kce_atoms.BANDWIDTH),
            "w()": table(p, weight / weight.sum(axis=1, keepdims=True)),
            "SKCE_uq": skce(y, p, kernel=kce_atoms.KERNEL)}  # fmt: skip


def ridge(w):
    """Five rows to fit on, four to look at."""
    kernel, delta = rbf(gamma=20.0), residuals(w["y"], w["p"])
    phi, k = np.linalg.cholesky(kernel(w["p"])), lambda p: kernel(w["p"], p[None])[:, 0]
    h = fit_kkr(w["y"], w["p"], kernel=kernel, regularization=0.01)
    u, core = h.reduced(h.features(w["p2"]))
    return {"n": 5, "K": phi @ phi.T, r"\Delta": delta, r"\delta[]": delta, r"\lambda": 0.01, "I": 1, "k()": k, "U": u,
            "M": core, r"\varphi()": lambda p: np.linalg.solve(phi, k(p)), "C": phi.T @ phi / 5, "S": phi.T @ delta / 5,
            "at": pairs(("p", "p'"), w["p2"])}  # fmt: skip


def quadratic(w):
    env = ridge(w) | {"n": 4, r"\Delta": residuals(w["y2"], w["p2"]), "at": [{}]}
    return complete(env, r"z = \Delta\Delta^T,\quad h = U M U^T,\quad \ldots = z_{ii} - h_{ii}")


def sample(w):
    """Rows with features, of notebooks 06 and 07."""
    mu, v = np.linalg.eigh(w.C)
    modes = (w.phi @ v).T
    spread = [(mode[:, None] * w.delta).var(axis=0, ddof=1).sum() for mode in modes]
    kernel = lambda p, q=None: ckce_atoms.kernel_of(*((w.p, p) if q is None else (p, q)))
    return {"n": w.n, r"\lambda": w.lam, "K": w.K, "W": w.W, r"\Phi": w.phi, r"\Delta": w.delta, "S": w.S, "C": w.C,
            "I": 1, "V": v, "p[]": w.p, r"\delta[]": w.delta, "y[]": w.y + 1, "s[]": v.T @ w.S, "v[]": v.T,
                r"\mu[]": mu,
            "B": w.ridge, "SKCE_b": ckce_atoms.squared(w.S), "CKCE": ckce_atoms.squared(w.ridge), "k()": kernel,
            r"\Sigma": np.cov(khatri_rao(w.phi.T, w.delta.T)), r"\sigma[]": np.sqrt(spread),
            r"\varphi()": table(w.p, w.phi)}  # fmt: skip


def fitted(w):
    """A sample, and other rows p."""
    s, p = w["fit"], w.get("p2", w["fit"].p)
    phi, r, m = s.transform(p), len(s.C), len(p)
    M = np.linalg.solve(np.kron(s.C, s.C) + s.lam * np.eye(r * r), (s.S @ s.S.T).ravel()).reshape(r, r)
    return sample(s) | {r"\varphi()": table(np.vstack([s.p, p]), np.vstack([s.phi, phi])), "C_te": phi.T @ phi / m,
        "M": M,
                        "m": m, "p[]": p, "range": {"i": range(1, m + 1)}, "a": w.get("a"),
                            "b": w.get("b")}  # fmt: skip


def fitted_pairs(w):
    s = w["fit"]
    A = np.linalg.solve(np.kron(s.K, s.K) + s.lam * s.n**2 * np.eye(s.n**2), (s.delta @ s.delta.T).ravel())
    return fitted(w) | {"at": pairs("pq", w["p2"]), "p[]": s.p, "range": {}, "A[]": A.reshape(s.n, s.n)}


def operators(w):
    L = np.exp(-np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2)
    psi, z = np.linalg.cholesky(L), np.array(list(product(range(3), repeat=w.n)))
    drawn = w.p[np.arange(w.n), z].prod(axis=1), {r"\Psi_Z": psi[z].transpose(0, 2, 1)}
    return {"W": w.W, "K": w.K, r"\Phi": w.phi, r"\Psi_Y": psi[w.y].T, "M_Z": (w.p @ psi).T,
            "L_YY": L[np.ix_(w.y, w.y)], "draws": [drawn]}  # fmt: skip


def two_kinds(w):
    env, delta = finite(w["world"], ckce_atoms.kernel_of), w["p"] - np.eye(3)[w["y"]]
    sets = {"k[]": np.array([ckce_atoms.kernel(p) for p in w["p"]]), r"\delta[]": delta}
    return env | {"n": 3, "draws": [*env["draws"], (w["mass"], sets)]}


def shifted(w):
    """Four predictions and two marginals."""
    phi, p, r, lam = w["phi"], w["p"], w["r"], w["lam"]
    G, C, C2 = np.linalg.solve(phi, p - r), *(phi.T @ (w[name][:, None] * phi) for name in ("P", "P2"))
    mu, v = np.linalg.eigh(C)
    ckce = [ckce_atoms.squared(np.linalg.solve(each + lam * np.eye(4), each @ G)) for each in (C, C2)]
    letters = {r"\varphi": np.repeat(phi, 3, axis=0), r"\delta": np.repeat(p, 3, axis=0) - np.tile(np.eye(3), (4, 1))}
    return {"draws": [((w["P"][:, None] * r).ravel(), letters)], "I": 1, r"\lambda": lam, "G": G, r"\mu[]": mu, "n": 4,
            "g[]": v.T @ G, r"\mu_min": mu[0], r"CKCE_\lambda()": ckce.__getitem__, "P": 0, "P'": 1}  # fmt: skip


def constant(w):
    n, p = len(w["y"]), np.full((len(w["y"]), 1000), 0.001)
    return {"n": n, "m": 1000, "y[]": w["y"] + 1, r"\delta[]": residuals(w["y"], p), "p[]": p, "k()": lambda p,
        q: p @ q + 1,
            "n[]": np.bincount(w["y"], minlength=1000), "range": {"c": range(1, 1001)}}  # fmt: skip


def gaussian(w):
    nodes, mass = np.polynomial.hermite_e.hermegauss(40)
    rho = lambda u: np.exp(-(u @ u) / (2 * w["gamma"] ** 2))
    return {"p": w["p"], "q": w["q"], "u": w["p"] - w["q"], r"\gamma": w["gamma"], "D": w["D"], r"\rho()": rho,
            "draws": [(mass / mass.sum(), {r"\xi": nodes})]}  # fmt: skip


def one_bin(w):
    """Conf is fixed, acc is random: all label vectors of independent rows."""
    y, r = np.array(list(product([0, 1], repeat=len(w["r"])))), w["r"]
    return {"draws": [(klce_atoms.chance(r, y), {"acc": y.mean(axis=1)})], "conf": w["c"].mean(), r"\bar{r}": r.mean(),
            "r[]": r, "r": r[0], "n": len(r), "n_m": len(r)}  # fmt: skip


def neighbours(w):
    y, log_kernel = np.array(list(product([0, 1], repeat=5))), dirichlet_log_kernel(w["p"], w["p"], 1e-13)
    np.fill_diagonal(log_kernel, -np.inf)
    near = log_kernel.argmax(axis=1) + 1
    return {"n": 5, "draws": [(klce_atoms.chance(w["r"], y), {"y[]": y})], "p[]": w["p"], "r[]": w["r"],
            "j()": lambda i: near[i - 1]}  # fmt: skip


def binned(w):
    gap, mass = w["c"] - w["r"], np.bincount(w["bin"], w["w"], minlength=3)
    mean = np.bincount(w["bin"], w["w"] * gap, minlength=3) / np.maximum(mass, 1e-300)
    return {"draws": [(w["w"], {"g": gap, "B": w["bin"], "g_B": mean[w["bin"]]})]}


def width_kernel(width):
    return lambda u, v: np.exp(-((u - v) ** 2) / width**2)


NEAR = {"k()": width_kernel(klce_atoms.PROB_WIDTH), "l()": width_kernel(klce_atoms.FEATURE_WIDTH)}


def local(w):
    """A binary population with a feature."""
    (mass, h), twice = w.atoms(), lambda values: np.repeat(values, 2)
    Y, sigma = np.tile([0, 1], len(w.w)), np.linalg.svd(w.mu, compute_uv=False)
    letters = {"p": twice(w.p), "x": twice(w.x), "X": twice(w.x), "r": twice(w.r), "Y": Y, r"\delta": twice(w.p) - Y,
               "Z": np.arange(len(Y))}  # fmt: skip
    at = lambda p, x: NEAR["k()"](p, w.p) * NEAR["l()"](x, w.x)
    features = {r"\varphi()": (w.p, klce_atoms.k_of(w.p)), r"\psi()": (w.x, klce_atoms.l_of(w.x))}
    return NEAR | {name: table(rows, kce_atoms.coordinates(gram)) for name, (rows, gram) in features.items()} | {
        "draws": [(mass, letters)], "h()": lambda z, v: h[z, v], "r()": table(w.p, w.base.frequencies[:, 1]),
            r"\mu": w.mu,
        r"\mu()": lambda p, x: at(p, x) @ w.gap, "M()": lambda p, x: at(p, x) @ w.w,
        "LCB()": lambda p, x: at(p, x) @ w.gap / (at(p, x) @ w.w), r"\sigma[]": sigma, "LCE": sigma[0],
        r"\sigma_1()": lambda a: np.linalg.svd(a, compute_uv=False)[0], "range": {"m": range(1, len(sigma) + 1)},
    }  # fmt: skip


def task(t, **more):
    env = local(t.world)
    mass, letters = env["draws"][0]
    return env | {"draws": [(mass, letters | {"I": np.repeat(t.trait, 2), **more})], "A": t.truth}


def three_kinds(w):
    env, n, h = local(w["world"]), w["n"], kce_atoms.table(w["h"], w["rows"])
    k, l = (
        kce_atoms.table(gram, w["kinds"]) for gram in (klce_atoms.k_of(w["world"].p), klce_atoms.l_of(w["world"].x))
    )
    printed = (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / ((n - 1) / n * (k * l).sum(axis=(1, 2)))
    return env | {"n": n, "draws": [*env["draws"], (w["mass"], {"h[]": h, "k[]": k, "l[]": l, "printed": printed})]}


def groups(w):
    """Three models of one crowd; a group's number is no feature's."""
    names = {"p": w["p"], "g": w["g"] + 100, "x": w["x"]}

    def model(gap):
        keys = [np.column_stack([names[name] for name in given]) for given in ("p", "pg", "px")]
        r = [w["p"] - w["world"].base.given(each, gap) for each in keys]
        known = [*keys[0], *keys[1], *keys[2]]
        return {"draws": [(w["world"].w, names)], "r()": table(known, np.concatenate(r))}

    return {"at": [model(gap) for gap in w["gap"].T]} | dict.fromkeys(names)


def redrawn(w):
    """Residuals redrawn with replacement."""
    which = np.array(list(product(range(4), repeat=4)))
    return {"n": 4, "K[]": w["K"], r"\delta[]": w["seen"], r"\bar{\delta}": w["seen"].mean(),
            "draws": [(np.full(256, 1 / 256), {r"\delta^*[]": w["seen"][which]})]}  # fmt: skip


def labels(w):
    """All label vectors of fixed rows; T is eq. 4."""
    sets = {r"\delta[]": w["delta"], "Y[]": w["y"], "T": klce_atoms.eq4(w["K"], w["delta"])}
    return {"n": len(w["p"]), "draws": [(w["mass"], sets)], "K[]": w["K"], "K": w["K"], "a": w["p"][0], "c": w["p"][2],
            "D": np.diag(w["p"] * (1 - w["p"])), "mean()": lambda D: np.diag(D).mean()}  # fmt: skip


LETTERS = {
    "start.one_forecast": lambda w: w | {"draws": [([1 - w["r"], w["r"]], {"Y": [0, 1]})]},
    **dict.fromkeys(["notions.murphy", "notions.factor_two", "notions.weaker_notion", "notions.bounded_opponent",
                     "binning_and_kde.argmax_for_max", "calibration_tests.ece_as_sup",
                         "calibration_tests.no_frequencies",
                     "calibration_tests.skce_pairs"], finite),
    "notions.supremum": lambda w: finite(w, lambda p, q: np.exp(-((p - q) ** 2).sum(axis=-1) / 0.5)),
    "binning_and_kde.bins_forget": binned,
    **dict.fromkeys(["binning_and_kde.noise_adds", "binning_and_kde.debiasing"], one_bin),
    "binning_and_kde.mean_of_normal": dict,
    "binning_and_kde.neighbour_limit": neighbours,
    "binning_and_kde.kernel_is_a_density": lambda w: {r"\gamma": w["h"]},
    "calibration_risk.minimiser": lambda w: {"p": w["p"], "p'": w["p2"], "r": w["law"], "r'": w["law2"],
        "draws": [(w["law"], {"e_Y": np.eye(3)}), (w["law2"], {"e_Y'": np.eye(3)})]},
    **dict.fromkeys(["calibration_risk.excess_risk", "calibration_risk.unbiased"], bilinear),
    **dict.fromkeys(["calibration_risk.kde_is_a_mean", "calibration_tests.mmce", "calibration_tests.jkce"], rows),
    "calibration_risk.plug_in": ridge,
    "calibration_risk.two_ridges": lambda w: ridge(w) | {"at": pairs("ij", range(1, 6))},
    "calibration_risk.linear_time": quadratic,
    "calibration_tests.degenerate": one_row,
    **dict.fromkeys([f"calibration_tests.{name}" for name in ("estimators", "biased", "null_variance", "limit_variance",
                     "bound_biased", "negative_estimate", "null_mean")], tiny),
    "calibration_tests.biased_limit": normal_limit,
    "calibration_tests.eigenfunctions": spectral,
    "calibration_tests.centred_bootstrap": bootstrap,
    "calibration_tests.exact_pvalue": lambda w: triples(w) | {"at": [{"j": j} for j in (1, 2, 3)]},
    "calibration_tests.plus_one": triples,
    "calibration_tests.bound_unbiased": either,
    "calibration_tests.bounded_differences": replaced,
    "calibration_tests.supremum": bets,
    "conditional_error.hilbert_schmidt": lambda w: {"A": w["A"], "e[]": np.eye(4), "u[]": w["U"].T, "t[]": w["T"].T,
        "n": 4, r"\sigma[]": np.linalg.svd(w["A"], compute_uv=False), "range": {"m": range(1, 4)}},
    "conditional_error.trace_formula": operators,
    "conditional_error.jkce_is_skce": two_kinds,
    "conditional_error.marginal_bound": constant,
    "conditional_error.not_constant": shifted,
    "conditional_error.no_limit": lambda w: {"c[]": np.sqrt(np.array(w["squares"], dtype=float))},
    **dict.fromkeys(["conditional_error.fourier_mean", "conditional_error.fourier_variance"], gaussian),
    **dict.fromkeys(["conditional_error.ridge_is_cmo", "conditional_error.kronecker_labels",
                     "one_operator.skce_spectral",
                     "one_operator.unbiased_spectral", "one_operator.ckce_spectral", "one_operator.between"], sample),
    **dict.fromkeys(["one_operator.ukkr_spectral", "one_operator.kkr_in_sample", "one_operator.one_family"], fitted),
    "one_operator.kkr_spectral": fitted_pairs,
    "one_operator.ranking_flips": lambda w: {r"\alpha": w["alpha"], r"\beta": w["beta"], r"\mu[]": w["mu"]},
    **dict.fromkeys(["local_calibration.permutation_size", "local_calibration.centred_permutation",
                     "local_calibration.limit_variances"], labels),
    **dict.fromkeys(["local_calibration.algorithm_one", "local_calibration.permutation_mean"], redrawn),
    "local_calibration.printed_bound": lambda w: {"n": 2, "H": 1.0, r"\alpha": w["alpha"],
        "draws": [(w["mass"], {"T": w["T"], r"\delta[]": w["labels"]})]},
    **dict.fromkeys(["local_calibration.without_k", "local_calibration.local_norm", "local_calibration.operator_norm",
                     "local_calibration.witness"], local),
    "local_calibration.inference_bias": lambda t: task(t, X=np.ones(2 * len(t.trait))),  # I(X) is I
    "local_calibration.sufficient_not_necessary": task,
    "local_calibration.three_notions": groups,
    "local_calibration.unbiased": three_kinds,
    "local_calibration.local_mean": lambda w: NEAR | {"n": 8, "p[]": w["p"], "x[]": w["x"], "y[]": w["y"],
        "at": [{"p'": p, "x'": x} for p, x in zip(w["p"], w["x"], strict=True)]},
    "local_calibration.hidden_feature": lambda w: {"c": w["c"], r"\sigma()": lambda s: 1 / (1 + np.exp(-s)),
        "at": [{"s": s} for s in w["s"]]},
}  # fmt: skip
