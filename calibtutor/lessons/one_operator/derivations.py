"""Derivations of notebook 07: every kernel error of the course as a function of S and C.

S = ΦᵀΔ/n and C = ΦᵀΦ/n for features Φ and residuals Δ; C v_j = μ_j v_j, and s_j = v_jᵀS is row j of S in that basis.
"""

import numpy as np
from scipy.linalg import khatri_rao
from scipy.optimize import brentq

from ...kce import skce
from ...risk import fit_kkr, fit_ukkr
from ...teach.derive import Derivation, Step
from ..shared.ckce_atoms import KERNEL, kernel, lambda_is, six_rows, squared


def _modes(w):
    """v_jᵀφ(p_i) for every row i and direction j."""
    return w.phi @ np.linalg.eigh(w.C)[1]


skce_spectral = Derivation(
    title="SKCE_b along the eigendirections",
    claim="The biased SKCE is the squared length of S, and so a sum over the eigendirections v_j of C.",
    world=six_rows,
    steps=(
        Step(r"\mathrm{SKCE}_b = \frac{1}{n^2}\sum_{i, j} k(p_i, p_j)\,\langle\delta_i,\, \delta_j\rangle", "This is skce(y_true, y_prob, estimator=\"biased\") with the kernel of eq. 8, n = 6 rows; δ = p − e_y.",
             lambda w: skce(w.y, w.p, kernel=KERNEL, estimator="biased")),
        Step(r"\|S\|^2,\quad S = \frac{1}{n}\Phi^T\Delta = \frac{1}{n}\sum_i \varphi(p_i)\,\delta_i^T", "Features and residuals as rows of Φ and Δ. ⟨φ_i δ_iᵀ, φ_j δ_jᵀ⟩ = ⟨φ_i, φ_j⟩⟨δ_i, δ_j⟩; ‖·‖² adds the squared entries.", lambda w: squared(w.S)),
        Step(r"\sum_j \mu_j\,\|s_j\|^2,\quad C v_j = \mu_j v_j,\ s_j = v_j^T S", "C = ΦᵀΦ/n, the mean of φ(p)φ(p)ᵀ, says how far predictions reach in each direction: v_j are its eigenvectors, μ_j the mean square of v_jᵀφ(p). SKCE does not ask.",
             lambda w: w.energy[0] @ w.energy[1], printed="a mix-up: ‖√C S‖², another member of the family"),
        Step(r"\sum_j \|s_j\|^2", "The v_j are an orthonormal basis: in it S has the rows s_j, and a rotation keeps the sum of squares.", lambda w: w.energy[1].sum()),
        Step(r"\sum_j \|\,\frac{1}{n}\sum_i v_j(p_i)\,\delta_i\,\|^2,\quad v_j(p) = v_j^T \varphi(p)", "So s_j is the mean residual weighted by one function of p. CCE² and CKCE have the same functions.",
             lambda w: squared(_modes(w).T @ w.delta / w.n)),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _own(w):
    """Σ_i k(p_i, p_i)‖δ_i‖²."""
    return (np.diag(w.K) * (w.delta**2).sum(axis=1)).sum()


unbiased_spectral = Derivation(
    title="SKCE_uq: the same, less the noise",
    claim="The unbiased SKCE, which is also JKCE if labels are compared by 1 if equal and else 0, is a sum over the same directions, each less its noise.",
    world=six_rows,
    steps=(
        Step(r"\mathrm{SKCE}_{uq} = \mathrm{mean}_{i \neq j}\ k(p_i, p_j)\,\langle\delta_i,\, \delta_j\rangle", "This is skce(y_true, y_prob): n = 6 rows with residuals δ = p − e_y, no row paired with itself.",
             lambda w: skce(w.y, w.p, kernel=KERNEL)),
        Step(r"\frac{1}{n(n-1)}\,(\,n^2\,\|S\|^2 - \sum_i k(p_i, p_i)\,\|\delta_i\|^2\,)", "S = ΦᵀΔ/n. All n² pairs make n²‖S‖²; the n pairs i = j are taken off.",
             lambda w: (w.n**2 * squared(w.S) - _own(w)) / (w.n * (w.n - 1))),
        Step(r"\|S\|^2 - \frac{1}{n^2}\sum_i k(p_i, p_i)\,\|\delta_i\|^2", "The pairs are gone from the sum but not from the count: n(n − 1) are left.",
             lambda w: squared(w.S) - _own(w) / w.n**2, printed="a common slip: still divided by n²"),
        Step(r"\|S\|^2 - \frac{1}{n}\,\mathrm{Tr}\,\Sigma", "S is the mean of the n vectors x_i = φ_i ⊗ δ_i, and Σ their sample covariance, with its n − 1. A squared mean is too large by the variance of the mean.",
             lambda w: squared(w.S) - np.trace(np.cov(khatri_rao(w.phi.T, w.delta.T))) / w.n),
        Step(r"\sum_j (\,\|s_j\|^2 - \frac{1}{n}\,\sigma_j^2\,)", "s_j is the mean of v_j(p_i)δ_i, with v_j(p) = v_jᵀφ(p) for the eigenvectors v_j of C = ΦᵀΦ/n, and σ_j² their summed sample variance. Noise can win: the sum may be negative.",
             lambda w: sum(energy - ((mode[:, None] * w.delta).var(axis=0, ddof=1)).sum() / w.n for energy, mode in zip(w.energy[1], _modes(w).T, strict=True))),
    ),
    tolerance=1e-11,
)  # fmt: skip


ckce_spectral = Derivation(
    title="CKCE along the eigendirections",
    claim="CKCE weighs ‖s_j‖² by a falling function of μ_j: an error along a direction in which predictions have a small mean square weighs more.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{CKCE} = \mathrm{Tr}(W \Delta\Delta^T W K),\quad W = (K + \lambda n I)^{-1}", "Eq. 7, with labels compared by 1 if equal and else 0: n = 6 rows, residuals δ = p − e_y in Δ, K_ij = k(p_i, p_j) from eq. 8, and a penalty λ.",
             lambda w: np.trace(w.W @ w.delta @ w.delta.T @ w.W @ w.K)),
        Step(r"\|(C + \lambda I)^{-1} S\|^2,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta", "Eq. 9. K = ΦΦᵀ, features as rows of Φ, and Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ.", lambda w: squared(w.ridge)),
        Step(r"\sum_j \|s_j\|^2 \,/\, (\mu_j + \lambda),\quad C v_j = \mu_j v_j,\ s_j = v_j^T S", "That is ⟨S, (C + λI)⁻¹S⟩, half-way between SKCE_b and CKCE.",
             lambda w: (w.energy[1] / (w.energy[0] + w.lam)).sum(), printed="a common slip: the inverse used once"),
        Step(r"\sum_j \|s_j\|^2 \,/\, (\mu_j + \lambda)^2", "In the basis v_j the inverse divides row j by μ_j + λ, and the norm squares it.",
             lambda w: (w.energy[1] / (w.energy[0] + w.lam) ** 2).sum()),
        Step(r"\sum_j \mu_j\,\|c_j\|^2 \,/\, (\mu_j + \lambda)^2,\quad c_j = s_j \,/ \sqrt{\mu_j}", "c_j is the mean of δ weighted by v_jᵀφ(p)/√μ_j, a function whose mean square is 1 on the sample. Rare directions win down to μ_j = λ; below, they fade.",
             lambda w: w.energy[0] / (w.energy[0] + w.lam) ** 2 @ ((w.delta.T @ (_modes(w) / np.sqrt((_modes(w) ** 2).mean(axis=0))) / w.n) ** 2).sum(axis=0)),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _train_and_test(rng):
    """A sample to fit on and five other predictions to look at."""
    return {"fit": six_rows(rng), "p2": rng.dirichlet(np.ones(3), 5)}


def _test_moment(w):
    """C of the test set, in the features of the training set."""
    phi = w["fit"].transform(w["p2"])
    return phi.T @ phi / 5


def _root(matrix):
    """The symmetric root of a positive semi-definite matrix; an eigenvalue 0 may come out as −1e−17."""
    values, directions = np.linalg.eigh(matrix)
    return (directions * np.sqrt(np.maximum(values, 0))) @ directions.T


ukkr_spectral = Derivation(
    title="ukkr: the mean square of the same regression",
    claim="The mean of ukkr's h(p, p) over a test set, an estimate of CCE² (eq. 32 of Gruber & Bach), needs only small matrices too.",
    world=_train_and_test,
    describe=lambda w: lambda_is(w["fit"]),
    steps=(
        Step(r"\frac{1}{m}\sum_i h_{ukkr}(p_i,\, p_i)", "This is fit_ukkr(y_true, y_prob).diagonal(test).mean(): fitted on n = 6 rows, looked at on m = 5 other predictions p_i.",
             lambda w: fit_ukkr(w["fit"].y, w["fit"].p, kernel=KERNEL, regularization=w["fit"].lam).diagonal(w["p2"]).mean()),
        Step(r"\frac{1}{m}\sum_i \|\hat{g}(p_i)\|^2,\quad \hat{g}(p) = \Delta^T (K + \lambda n I)^{-1} k(p)", "Eq. 32: ĝ is the ridge regression of the residual δ on p; k(p) holds the kernel values of p with the six rows, K those of the rows with one another.",
             lambda w: squared(kernel(w["p2"], w["fit"].p) @ w["fit"].W @ w["fit"].delta) / 5),
        Step(r"\|C^{1/2} (C + \lambda I)^{-1} S\|^2", "C = ΦᵀΦ/n and S = ΦᵀΔ/n belong to the training set: the mean of h over the data it was fitted on.",
             lambda w: squared(_root(w["fit"].C) @ w["fit"].ridge), printed="its value in sample, taken for the one on test data"),
        Step(r"\mathrm{Tr}(B^T C_{te} B),\quad B = (C + \lambda I)^{-1} S,\ C_{te} = \frac{1}{m}\sum_i \varphi(p_i)\varphi(p_i)^T", "ĝ(p) = Bᵀφ(p), since Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, and ‖Bᵀφ‖² = Tr(Bᵀ φ φᵀ B).",
             lambda w: np.trace(w["fit"].ridge.T @ _test_moment(w) @ w["fit"].ridge)),
        Step(r"\|C_{te}^{1/2} (C + \lambda I)^{-1} S\|^2", "The root of a symmetric matrix. CKCE is the same without C_te: how long ĝ is, not how large it is on average.",
             lambda w: squared(_root(_test_moment(w)) @ w["fit"].ridge)),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _kronecker_solve(w):
    """Σ_ij k(p, p_i) A_ij k(p_j, q) with (K ⊗ K + λn²I) vec A = vec ΔΔᵀ, at every pair of test predictions."""
    s = w["fit"]
    targets = (s.delta @ s.delta.T).ravel()
    a = np.linalg.solve(np.kron(s.K, s.K) + s.lam * s.n**2 * np.eye(s.n**2), targets).reshape(s.n, s.n)
    cross = kernel(w["p2"], s.p)
    return cross @ a @ cross.T


def _in_features(w, core):
    phi = w["fit"].transform(w["p2"])
    return phi @ core @ phi.T


def _small_system(w):
    """M with C M C + λM = SSᵀ, solved as r² equations."""
    s = w["fit"]
    r = len(s.C)
    return np.linalg.solve(np.kron(s.C, s.C) + s.lam * np.eye(r * r), (s.S @ s.S.T).ravel()).reshape(r, r)


def _entrywise(w, divisor):
    """V[(VᵀSSᵀV)_ij / divisor(μ_i, μ_j)]Vᵀ."""
    mu, directions = np.linalg.eigh(w["fit"].C)
    moment = directions.T @ w["fit"].S
    return directions @ (moment @ moment.T / divisor(mu[:, None], mu)) @ directions.T


kkr_spectral = Derivation(
    title="kkr in the basis of C",
    claim="Kronecker kernel ridge regression (eqs. 28–29 of Gruber & Bach) divides SSᵀ, in the basis of C, entry by entry.",
    world=_train_and_test,
    describe=lambda w: lambda_is(w["fit"]),
    steps=(
        Step(r"h_{kkr}(p, q) = \sum_{i, j} k(p, p_i)\,A_{ij}\,k(p_j, q)",
             "Eq. 28 at all pairs of five test predictions: ridge regression of the products ⟨δ_i, δ_j⟩ on pairs of rows, (K ⊗ K + λn²I) vec A = vec ΔΔᵀ. With n = 6 that is 36 equations.", _kronecker_solve),
        Step(r"\varphi(p)^T M\,\varphi(q),\quad C M C + \lambda M = S S^T", "The inverse changes sides once more, with K ⊗ K = (Φ ⊗ Φ)(Φ ⊗ Φ)ᵀ: the features of a pair are products, their C is C ⊗ C and their S is vec SSᵀ; C = ΦᵀΦ/n, S = ΦᵀΔ/n.",
             lambda w: _in_features(w, _small_system(w))),
        Step(r"\varphi(p)^T V\,[\,(V^T S S^T V)_{ij} \,/\, ((\mu_i + \lambda)(\mu_j + \lambda))\,]\,V^T \varphi(q)", "C = V diag(μ) Vᵀ. One penalty for each of two regressions: that is ukkr. kkr pays once for the pair.",
             lambda w: _in_features(w, _entrywise(w, lambda a, b: (a + w["fit"].lam) * (b + w["fit"].lam))), printed="ukkr's matrix, taken for kkr's"),
        Step(r"\varphi(p)^T V\,[\,(V^T S S^T V)_{ij} \,/\, (\mu_i \mu_j + \lambda)\,]\,V^T \varphi(q)", "In the basis V the equation reads μ_i M_ij μ_j + λ M_ij = (SSᵀ)_ij, one entry at a time.",
             lambda w: _in_features(w, _entrywise(w, lambda a, b: a * b + w["fit"].lam))),
        Step(r"\mathrm{fit\_kkr(y\_true,\ y\_prob)(p,\ q)}", "The package computes it so: one eigendecomposition serves every λ.",
             lambda w: fit_kkr(w["fit"].y, w["fit"].p, kernel=KERNEL, regularization=w["fit"].lam)(w["p2"])),
    ),
    tolerance=1e-8,
)  # fmt: skip


def _fitted(rng):
    """A sample that is looked at itself."""
    sample = six_rows(rng)
    return {"fit": sample, "p2": sample.p}


kkr_in_sample = Derivation(
    title="On its own data kkr has a spectrum too",
    claim="The mean of kkr's h(p, p) over the rows it was fitted on is a weighted sum of ‖s_j‖², never negative.",
    world=_fitted,
    describe=lambda w: lambda_is(w["fit"]),
    steps=(
        Step(r"\frac{1}{n}\sum_i h_{kkr}(p_i,\, p_i)", "This is fit_kkr(y_true, y_prob).diagonal(y_prob).mean(), with a penalty λ.",
             lambda w: fit_kkr(w["fit"].y, w["fit"].p, kernel=KERNEL, regularization=w["fit"].lam).diagonal(w["p2"]).mean()),
        Step(r"\mathrm{Tr}(C M),\quad C M C + \lambda M = S S^T", "h(p, p) = φ(p)ᵀM φ(p), and C = ΦᵀΦ/n is the mean of φφᵀ; S = ΦᵀΔ/n.", lambda w: np.trace(w["fit"].C @ _small_system(w))),
        Step(r"\sum_j \mu_j\,\|s_j\|^2 \,/\, (\mu_j + \lambda)^2,\quad C v_j = \mu_j v_j,\ s_j = v_j^T S", "The value of ukkr, ‖√C (C + λI)⁻¹S‖².",
             lambda w: (w["fit"].energy[0] * w["fit"].energy[1] / (w["fit"].energy[0] + w["fit"].lam) ** 2).sum(), printed="ukkr's weights, taken for kkr's"),
        Step(r"\sum_j \mu_j\,\|s_j\|^2 \,/\, (\mu_j^2 + \lambda)", "C is diagonal in its own basis, so only the entries M_jj = ‖s_j‖²/(μ_j² + λ) meet it. In a single h(p, p) the entries off the diagonal count: it can be negative, even here (errata G22).",
             lambda w: (w["fit"].energy[0] * w["fit"].energy[1] / (w["fit"].energy[0] ** 2 + w["fit"].lam)).sum()),
        Step(r"\sum_j \|s_j\|^2 \,/\, \mu_j", "The limit λ → 0, where kkr and ukkr agree. A penalty only takes away.", lambda w: (w["fit"].energy[1] / w["fit"].energy[0]).sum(), relation="<="),
    ),
    tolerance=1e-8,
)  # fmt: skip


def _dial(rng):
    """A sample, and powers a and b between those of the named errors."""
    return {"fit": six_rows(rng), "a": rng.uniform(0, 1), "b": rng.uniform(0, 1)}


def _power(matrix, exponent):
    values, directions = np.linalg.eigh(matrix)
    return (directions * values**exponent) @ directions.T


def _kernel_side(w, exponent):
    """(1/n) Tr(Δᵀ f(K/n)Δ) with f(t) = t^exponent/(t + λ)^2b."""
    s = w["fit"]
    middle = _power(s.K / s.n, exponent) @ _power(s.K / s.n + s.lam * np.eye(s.n), -2 * w["b"])
    return np.trace(s.delta.T @ middle @ s.delta) / s.n


def _member(w):
    """Σ_j μ_j^2a/(μ_j + λ)^2b ‖s_j‖²."""
    mu, energy = w["fit"].energy
    return (mu ** (2 * w["a"]) / (mu + w["fit"].lam) ** (2 * w["b"])) @ energy


def _scaled(s):
    """μ_j, and ‖c_j‖² for c_j the mean of δ weighted by v_jᵀφ(p), scaled to mean square 1 on the sample."""
    modes = s.phi @ np.linalg.eigh(s.C)[1]
    mu = (modes**2).mean(axis=0)
    return mu, ((s.delta.T @ (modes / np.sqrt(mu)) / s.n) ** 2).sum(axis=0)


def _scaled_member(w):
    mu, c = _scaled(w["fit"])
    return (mu ** (2 * w["a"] + 1) / (mu + w["fit"].lam) ** (2 * w["b"])) @ c


one_family = Derivation(
    title="One family with three dials",
    claim="E(a, b, λ) = ‖Cᵃ(C + λI)⁻ᵇS‖² only re-weights eigendirections. SKCE_b is (0, 0), CKCE is (0, 1), ukkr's CCE² in sample is (½, 1).",
    world=_dial,
    describe=lambda w: f"a = {w['a']:.2f}, b = {w['b']:.2f}, {lambda_is(w['fit'])}",
    steps=(
        Step(r"E(a, b, \lambda) = \|C^a (C + \lambda I)^{-b} S\|^2,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta", "n = 6 rows: features φ(p_i) in Φ, residuals δ = p − e_y in Δ. A power of a symmetric matrix is the power of its eigenvalues; a and b lie anywhere from 0 to 1.",
             lambda w: squared(_power(w["fit"].C, w["a"]) @ _power(w["fit"].penalised, -w["b"]) @ w["fit"].S)),
        Step(r"\sum_j \mu_j^{2a}\,(\mu_j + \lambda)^{-2b}\,\|s_j\|^2,\quad C v_j = \mu_j v_j,\ s_j = v_j^T S", "All these matrices have the eigenvectors v_j of C. The data enter through μ_j and ‖s_j‖², the choice of an error through the weights.", _member),
        Step(r"\frac{1}{n}\,\mathrm{Tr}(\Delta^T f(\frac{1}{n}K)\,\Delta),\quad f(t) = t^{2a} / (t + \lambda)^{2b}", "S = ΦᵀΔ/n brings two more Φ with it.",
             lambda w: _kernel_side(w, 2 * w["a"]), printed="a common slip: one power of K too few"),
        Step(r"\frac{1}{n}\,\mathrm{Tr}(\Delta^T f(\frac{1}{n}K)\,\Delta),\quad f(t) = t^{2a+1} / (t + \lambda)^{2b}", "For any power Φ(ΦᵀΦ)ᵐΦᵀ = (ΦΦᵀ)ᵐ⁺¹. So no features are needed, the kernel matrix K = ΦΦᵀ will do.",
             lambda w: _kernel_side(w, 2 * w["a"] + 1)),
        Step(r"\sum_j \mu_j^{2a+1}\,(\mu_j + \lambda)^{-2b}\,\|c_j\|^2,\quad c_j = s_j \,/ \sqrt{\mu_j}", "c_j is the mean of δ times a function of mean square 1 on the sample. At λ = 0 the weights are μ_j for SKCE_b, 1 for CCE² and 1/μ_j for CKCE.", _scaled_member),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _in_sample(s):
    """The mean of ukkr's h(p, p) over its own training rows."""
    return fit_ukkr(s.y, s.p, kernel=KERNEL, regularization=s.lam).diagonal(s.p).mean()


def _ckce(s):
    return np.trace(s.W @ s.delta @ s.delta.T @ s.W @ s.K)


def _skce_b(s):
    return skce(s.y, s.p, kernel=KERNEL, estimator="biased")


between = Derivation(
    title="CCE² and the geometric mean of the two ends",
    claim="At every λ SKCE_b and CKCE together say how large the mean square of ĝ can be.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{CCE}^2 = \frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2", "ukkr in sample, n = 6: ĝ(p) = Bᵀφ(p), B = (C + λI)⁻¹S, C = ΦᵀΦ/n and S = ΦᵀΔ/n for features φ and residuals δ = p − e_Y.", _in_sample),
        Step(r"\sum_j \mu_j\,\|s_j\|^2 \,/\, (\mu_j + \lambda)^2 = \langle B,\, C B\rangle", "In the basis of C: C v_j = μ_j v_j, s_j = v_jᵀS; ⟨·, ·⟩ adds products of entries.", lambda w: (w.energy[0] / (w.energy[0] + w.lam) ** 2) @ w.energy[1]),
        Step(r"(\mathrm{SKCE}_b \cdot \mathrm{CKCE})^{1/2}", "Only a bound: with λ > 0 something is lost, and more if the s_j are spread over several μ_j.",
             lambda w: np.sqrt(_skce_b(w) * _ckce(w)), printed="a tempting guess: exactly half-way"),
        Step(r"\|B\|\ \|C B\|", "Cauchy–Schwarz. The first factor is the root of CKCE.", lambda w: np.sqrt(squared(w.ridge) * squared(w.C @ w.ridge)), relation="<="),
        Step(r"(\mathrm{SKCE}_b \cdot \mathrm{CKCE})^{1/2}", "‖C B‖ ≤ ‖(C + λI)B‖ = ‖S‖, because λ only adds to each μ_j; and ‖S‖² is SKCE_b.", lambda w: np.sqrt(_skce_b(w) * _ckce(w)), relation="<="),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _two_models(rng):
    """Two directions with μ_1 > μ_2; model A errs along the first, model B along the second by less."""
    mu = np.array([rng.uniform(0.3, 0.6), rng.uniform(0.02, 0.1)])
    alpha = rng.uniform(0.1, 0.3)
    ratio = rng.uniform(1.2 * np.sqrt(mu[1] / mu[0]), 0.9)  # √β/√α: both lines that tell where they swap are above 0
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    return {"mu": mu, "alpha": alpha, "beta": ratio**2 * alpha, "C": turn * mu @ turn.T, "turn": turn}


def _swap_by_search(w):
    """The λ at which both models have the same CKCE, with matrices."""
    a, b = np.sqrt(w["alpha"]) * w["turn"][:, 0], np.sqrt(w["beta"]) * w["turn"][:, 1]
    ckce_of = lambda s, lam: squared(np.linalg.solve(w["C"] + lam * np.eye(2), s))
    return brentq(lambda lam: np.log(ckce_of(a, lam) / ckce_of(b, lam)), 0, 1e4, xtol=1e-14, rtol=1e-14)


def _swap_by_line(w):
    """Root of √α(μ_2 + λ) − √β(μ_1 + λ), a linear function, from its values at 0 and 1."""
    at = lambda lam: np.sqrt(w["alpha"]) * (w["mu"][1] + lam) - np.sqrt(w["beta"]) * (w["mu"][0] + lam)
    return -at(0) / (at(1) - at(0))


ranking_flips = Derivation(
    title="When two models change places",
    claim="Model A errs along the direction with the larger eigenvalue, B less, and along the other: SKCE_b prefers B, CKCE at a small λ may prefer A.",
    world=_two_models,
    describe=lambda w: f"μ = {w['mu'][0]:.2f} and {w['mu'][1]:.2f}, α = {w['alpha']:.2f}, β = {w['beta']:.3f}",
    steps=(
        Step(r"\lambda^*\ \mathrm{where}\ \|(C + \lambda I)^{-1} S_A\|^2 = \|(C + \lambda I)^{-1} S_B\|^2", "C has eigenvalues μ_1 > μ_2. S_A has length √α along the first eigenvector, S_B the smaller √β along the second. Where their CKCEs meet, by search.", _swap_by_search),
        Step(r"\lambda\ \mathrm{where}\ \sqrt{\alpha}\,(\mu_2 + \lambda) = \sqrt{\beta}\,(\mu_1 + \lambda)", "One direction each, so α/(μ_1 + λ)² = β/(μ_2 + λ)². Take roots: an equation that is linear in λ.", _swap_by_line),
        Step(r"\frac{\beta\,\mu_1 - \alpha\,\mu_2}{\alpha - \beta}", "Roots not taken: right for the half-way member ⟨S, (C + λI)⁻¹S⟩, which divides once.",
             lambda w: (w["beta"] * w["mu"][0] - w["alpha"] * w["mu"][1]) / (w["alpha"] - w["beta"]), printed="a common slip: the inverse used once"),
        Step(r"\frac{\sqrt{\beta}\,\mu_1 - \sqrt{\alpha}\,\mu_2}{\sqrt{\alpha} - \sqrt{\beta}}", "Below λ* B has the larger CKCE, above it A, as for SKCE_b. If λ* is negative, B is ahead at every λ.",
             lambda w: (np.sqrt(w["beta"]) * w["mu"][0] - np.sqrt(w["alpha"]) * w["mu"][1]) / (np.sqrt(w["alpha"]) - np.sqrt(w["beta"]))),
    ),
    tolerance=1e-9,
)  # fmt: skip
