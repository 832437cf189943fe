"""Would anybody notice? Plant faults one at a time in a scratch clone and see which tests fail.

    python tests/faults.py                plants all of them, a line each; exits with 1 if one is missed
    python tests/faults.py clusters bin   plants those with one of these words in their names

A fault is a place, what stands there, what is written instead, and the tests that run, in this order, until one fails.
It is no test that runs by itself (half an hour on two cores): run it after tests or layers were changed.
"""
# ruff: noqa: E501  a fault is a line of text of another file

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from claims_faults import CLAIMS

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 420
L, N = "calibtutor/lessons", "notebooks"
SCENES, WORDS, LAYER = (
    "tests/lessons/test_scenes.py -k '{} or dots'",
    "tests/lessons/test_headlines.py",
    "tests/claims/test_layer.py",
)
DERIVATIONS, EXERCISES = "tests/lessons/test_derivations.py -m '' -k {}", "tests/lessons/test_exercises.py"
# fmt: off
FAULTS = [  # name, file, what stands there, what is written instead, tests
    ("binning: debiased by n, not n - 1", "calibtutor/binning.py", "np.maximum(n_m - 1, 1)", "np.maximum(n_m, 1)", ["tests/test_binning.py"]),
    ("binning: bin edges open on the other side", "calibtutor/binning.py", 'part, side="left") - 1, 0', 'part, side="right") - 1, 0', ["tests/test_binning.py"]),
    ("binning: debiasing forgotten", "calibtutor/binning.py", "square - noise, 0.0)", "square, 0.0)", ["tests/test_binning.py"]),
    ("binning: the band is lopsided", "calibtutor/binning.py", "np.minimum(confidence + reach * spread, 1)", "np.minimum(confidence + 0.9 * reach * spread, 1)", ["tests/test_binning.py"]),
    ("predictions: the residual's sign", "calibtutor/predictions.py", "return y_prob - (y_true if y_prob.ndim == 1", "return -y_prob + (y_true if y_prob.ndim == 1", ["tests/test_predictions.py"]),
    ("pvalues: no + 1", "calibtutor/pvalues.py", "return np.reshape(ranks, statistics.shape) / n_sets", "return (np.reshape(ranks, statistics.shape) - 1) / (n_sets - 1)", ["tests/test_resampling.py"]),
    ("resampling: labels redrawn from 1 - p", "calibtutor/resampling.py", "np.less(uniform, y_prob[rows, None]", "np.less(uniform, 1 - y_prob[rows, None]", ["tests/test_resampling.py"]),
    ("resampling: clusters ignored in the draws", "calibtutor/resampling.py", "        if cluster is None:\n            yield rows", "        if True:\n            yield rows", ["tests/test_kce_in_parts.py"]),
    ("kce in parts: all parts draw alike", "calibtutor/kce_in_parts.py", "integers(2**63)).spawn(len(parts))", "integers(2**63)).spawn(1) * len(parts)", ["tests/test_kce_in_parts.py"]),
    ("pair sums: weights not squared", "calibtutor/pair_sums.py", "float((weights**2).sum())", "float(weights.sum())", ["tests/test_kce_in_parts.py"]),
    ("kernels: bandwidth off by a root of two", "calibtutor/kernels/families.py", '"bandwidth": value,', '"bandwidth": value * np.sqrt(2),', ["tests/test_kernels.py"]),
    ("kernels: a low rank that certifies itself", "calibtutor/kernels/finite_rank.py", "LowRank(kernel, X[pivots], features, residual,", "LowRank(kernel, X[pivots], features, 0.0,", ["tests/test_kernels.py"]),
    ("gram: the product kernel sees features only", "calibtutor/gram.py", "return entries(self.first, X[:, :c], Y[:, :c]) * entries(", "return entries(", ["tests/test_klce.py"]),
    ("kde: not normalised", "calibtutor/kde.py", "gammaln(alpha.sum(axis=1)) - gammaln", "-gammaln", ["tests/test_kde.py"]),
    ("kde: a cell counts as one score", "calibtutor/kde.py", " + np.log(count) for h in", " for h in", ["tests/test_kde.py"]),
    ("kde: leave-one-out counts itself", "calibtutor/kde.py", "n * np.log(n - 1)", "n * np.log(n)", ["tests/test_kde.py"]),
    ("simplex: the last cell open", "calibtutor/simplex.py", "n_steps - 1 - bin_of(1 - y_prob,", "n_steps - bin_of(y_prob,", ["tests/test_binning.py"]),
    ("simplex: L1 for total variation", "calibtutor/simplex.py", "miss).sum() / (2 * len(cell))", "miss).sum() / len(cell)", ["tests/test_binning.py"]),
    ("risk: pairs (i, i) kept", "calibtutor/risk.py", "float((everything - own @ own) /", "float(everything /", ["tests/test_risk.py"]),
    ("variational: rows teach the map that is judged on them", "calibtutor/recalibration/variational.py", "rest = np.setdiff1d(order, held_out)", "rest = np.sort(order)", ["tests/test_risk.py"]),
    ("variational: the residual's sign", "calibtutor/recalibration/variational.py", "2 * delta[held_out] * u - u**2", "-2 * delta[held_out] * u - u**2", ["tests/test_risk.py"]),
    ("variational: the map and not its move", "calibtutor/recalibration/variational.py", "return as_rows(P - model.predict_proba(P))", "return as_rows(model.predict_proba(P))", ["tests/test_risk.py"]),
    ("selection: the largest risk wins", "calibtutor/selection.py", "best = min(rows", "best = max(rows", ["tests/test_selection.py"]),
    ("spectrum: eigenvalues rise", "calibtutor/spectrum.py", "(part[..., ::-1] for part", "(part[...] for part", ["tests/test_spectrum.py"]),
    ("ckce: the penalty without n", "calibtutor/ridge.py", "+= regularization * len(K)", "+= regularization", ["tests/test_ckce.py"]),
    ("klce: bias as promised minus happened", "calibtutor/klce.py", "error = -as_rows(", "error = as_rows(", ["tests/test_klce.py"]),
    ("corp: blocks without masses", "calibtutor/corp.py", "isotonic_regression(came / mass, sample_weight=mass)", "isotonic_regression(came / mass)", ["tests/test_corp.py"]),
    ("features: scales not learnt", "calibtutor/features.py", "spread > 1e-12 * np.abs(self.centre_), spread, 1.0)", "spread > 1e12, spread, 1.0)", ["tests/test_features.py"]),
    ("recalibration: the temperature upside down", "calibtutor/recalibration/posthoc.py", "self.clip) / self.temperature", "self.clip) * self.temperature", ["tests/recalibration/test_posthoc.py"]),
    ("recalibration: Dirichlet's diagonal is charged", "calibtutor/recalibration/linear_in_logs.py", "np.where(np.eye(d), HOLD, strength / (d * (d - 1)))", "np.where(np.eye(d), strength / d, strength / (d * (d - 1)))", ["tests/recalibration/test_posthoc.py"]),
    ("recalibration: beta's slopes may fall", "calibtutor/recalibration/linear_in_logs.py", "np.ones(2), HOLD, least=0)", "np.ones(2), HOLD)", ["tests/recalibration/test_posthoc.py"]),
    ("recalibration: multicalibration moves away", "calibtutor/recalibration/multicalibration.py", "gap = outcome - predicted", "gap = predicted - outcome", ["tests/recalibration/test_multicalibration.py"]),
    ("data: what is given is not weighted", "calibtutor/data/worlds.py", "np.bincount(group, self.weights * c) / mass", "np.bincount(group, c) / np.bincount(group)", ["tests/data/test_worlds.py"]),
    ("data: the outcome upside down", "calibtutor/data/tables.py", '"OWNER": "int64"})', '"OWNER": "int64"}).assign(OWNER=1 - frame["OWNER"].astype("int64"))', ["tests/data/test_tables.py"]),
    ("data: columns in another order", "calibtutor/data/tables.py", "usecols=columns)[columns]", "usecols=columns)[columns].set_axis([columns[1], columns[0], *columns[2:]], axis=1)", ["tests/data/test_tables.py"]),
    ("data: a checksum that is not compared", "calibtutor/data/downloads.py", "if found != wanted:", "if not found:", ["tests/data/test_downloads.py"]),
    ("inputs: percentages pass", "calibtutor/predictions.py", "high <= most)", "high <= 100)", ["tests/test_inputs.py"]),
    ("inputs: columns not put into the order of classes", "calibtutor/class_names.py", "table.take([have.index(each) for each in keys], axis=1)", "table", ["tests/test_inputs.py"]),
    ("audit: p-values not adjusted", "calibtutor/audit/family.py", "adjusted[order] = np.maximum.accumulate(rank_pvalues(largest)[:, 0])", "adjusted[order] = raw[order]", ["tests/audit/test_audit_family.py"]),
    ("audit: the wrong direction", "calibtutor/audit/sentences.py", '"says too little", "says too much"', '"says too much", "says too little"', ["tests/audit/test_audit_sentences.py"]),
    ("audit: the least sure group first", "calibtutor/audit/sentences.py", '["p_adjusted", "unsure"], kind', '["p_adjusted", "unsure"], ascending=False, kind', ["tests/audit/test_audit_sentences.py"]),
    ("audit: repairs learn on the rows that judge", "calibtutor/audit/sections.py", "learn, judge = map(evidence.panel.take, evidence.halves)", "learn = judge = evidence.panel.take(evidence.halves[1])", ["tests/audit/test_audit_sections.py"]),
    ("audit: bins ask for themselves alone", "calibtutor/audit/family.py", "score = scores(np.array(list(values.values())))", "score = scores(np.array([values[question]] * len(values)))", ["tests/audit/test_audit_family.py"]),
    ("audit: a mean of few hits by Student's t", "calibtutor/audit/intervals.py", 'if enough(hit, panel.weights, fewest) and (clusters', 'if enough(hit, panel.weights, 1) and (clusters', ["tests/audit/test_audit_family.py"]),
    ("audit: regions are asked always", "calibtutor/audit/regions.py", "> evidence.level:\n        return", "> 1:\n        return", ["tests/audit/test_audit_sections.py"]),
    ("audit: numbers of rare events with one digit", "calibtutor/audit/sentences.py", "if rare or float(", "if float(", ["tests/audit/test_audit_sentences.py"]),
    ("audit: copies are neighbours of nobody", "calibtutor/audit/doubts.py", "pairs[few].sum() > ALIKE", "pairs[few].sum() > 1e9 * ALIKE", ["tests/audit/test_audit_doubts.py"]),
    ("audit: a mean too close with a degree too many", "calibtutor/audit/doubts.py", "sums, rank) <= CLOSE", "sums, rank + 1) <= CLOSE", ["tests/audit/test_audit_doubts.py"]),
    ("audit: rows numbered in the order of clusters", "calibtutor/audit/__init__.py", "named = [(int(order[i]),", "named = [(int(i),", ["tests/audit/test_audit_doubts.py"]),
    ('audit: the label is a feature', "calibtutor/audit/columns.py", '    check_no_label({f"features[', '    {} and check_no_label({f"features[', ["tests/audit/test_audit_doubts.py"]),
    ("audit: signs of rows, not of clusters", "calibtutor/audit/clusters.py", "np.arange(len(panel)) if panel.cluster is None else np.unique(panel.cluster, return_inverse=True)[1]", "np.arange(len(panel)) // 2", ["tests/audit/test_audit_clusters.py"]),
    ("audit: Kuiper without its first 0", "calibtutor/audit/peers.py", "np.ptp(walk, axis=0)", "np.ptp(walk[1:], axis=0)", ["tests/audit/test_audit_peers.py"]),
    ("audit: a report replaces pipes", "calibtutor/audit/report.py", "if given.exists() and not given.is_file():", "if place.is_dir():", ["tests/audit/test_audit_report.py"]),
    ("audit: a report replaces the link to it", "calibtutor/audit/report.py", "Path(path).resolve()", "Path(path).absolute()", ["tests/audit/test_audit_report.py"]),
    ("plots: stems begin at 0", "calibtutor/plots.py", "[(a, a), (a, b)] for", "[(a, 0), (a, b)] for", ["tests/test_plots.py"]),
    ("scene: a sentence with another notion's number", f"{L}/notions/scenes.py", "top label {errors[0]:.3f}, ", "top label {errors[1]:.3f}, ", [SCENES.format("perfect_diagonal"), WORDS, LAYER, "tests/claims/test_notions.py", f"{N}/01_notions.ipynb"]),
    ("no rounding is forgiven", "calibtutor/binning.py", "halves), width / 4)", "halves), width * 0)", ["tests/test_binning.py"]),
    ("a tie of scores is two", "calibtutor/binning.py", "last = _is_last(values, np.inf)", "last = np.ones(len(values), bool)", ["tests/test_binning.py"]),
    ("cells forget what is in between", "calibtutor/binning.py", "others, a / (1 - h))", "others, a)", ["tests/test_binning.py"]),
    ("parts: the first alone", "calibtutor/recalibration/posthoc.py", "return sum(sums for _, sums in found)", "return found[0][1]", ["tests/test_kce_in_parts.py"]),
    ("single precision is the last", "calibtutor/recalibration/posthoc.py", "((np.float32, NEAR), (np.float64, CLOSE))", "((np.float32, NEAR),)", ["tests/recalibration/test_posthoc.py"]),
    ("a band forgets weights", "calibtutor/binning.py", "(rng.random(n) < score) * w, start)", "(rng.random(n) < score) * 1.0, start)", ["tests/test_binning.py"]),
    ("misses for hits", "calibtutor/nulls.py", "(confidence, labels == tops[:, None])", "(confidence, labels != tops[:, None])", ["tests/test_kce_test.py"]),
    ("hits of landmarks without weights", "calibtutor/kce_in_parts.py", "drawn == block.y_prob.argmax(axis=1)[:, None] if top", "drawn == 0 if top", ["tests/test_kce_in_parts.py"]),
    ("a clip that does not help", "calibtutor/recalibration/posthoc.py", "> DECIDED and better < loss:", "> DECIDED:", ["tests/recalibration/test_posthoc.py"]),
    ("taught by rows it was fitted on", "calibtutor/recalibration/recalibrated.py", "said[test] = self._said(fold, _safe_indexing(X, test))", "said[train] = self._said(fold, _safe_indexing(X, train))", ["tests/recalibration/test_recalibrated.py"]),
    ("the wrong end of a bin", "calibtutor/lessons/bins/simulations.py", "error(np.minimum(left, bins - 1))", "error(np.minimum(left + 1, bins - 1))", ["tests/claims/test_bins.py"]),
    ("another test's line", "calibtutor/lessons/kernel_tests/simulations.py", "return np.array(counts), np.array", "return np.array(counts)[::-1], np.array", ["tests/claims/test_kernel_tests.py -m '' -k over_confidence_in_many_classes"]),
    ("scene: a dot at another model's number", f"{L}/bins/scenes.py", 'artists["dot"].set_data([bins], [here])', 'artists["dot"].set_data([bins], [each[0]])', [SCENES.format("ece_against_bins"), WORDS, "tests/claims/test_bins.py", f"{N}/02_bins.ipynb"]),
    ("scene: axes exchanged", f"{L}/notions/scenes.py", 'parts["dots"].set_data(said, happens)', 'parts["dots"].set_data(happens, said)', [SCENES.format("perfect_diagonal"), WORDS, "tests/claims/test_notions.py", f"{N}/01_notions.ipynb"]),
    ("scene: a headline's threshold", f"{L}/bins/scenes.py", "max(errors) >= 2 * min(errors)", "max(errors) >= 3 * min(errors)", [WORDS, "tests/claims/test_bins.py"]),
    ("scene: the computation takes the mean for the frequency", f"{L}/notions/scenes.py", "(confidence, w.given(confidence, right))", "(confidence, right)", [SCENES.format("perfect_diagonal"), WORDS, "tests/claims/test_notions.py", f"{N}/01_notions.ipynb"]),
    ('line: sign in murphy', f"{L}/notions/derivations.py", 'Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + 1 - norm2(r_bar)"', 'Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + 1 + norm2(r_bar)"', [DERIVATIONS.format('murphy')]),
    ('line: letter in murphy', f"{L}/notions/derivations.py", '+ 2 * E(inner(p - r, r - e_Y)) +', '+ 2 * E(inner(p - e_Y, r - e_Y)) +', [DERIVATIONS.format('murphy')]),
    ('line: factor in factor_two', f"{L}/bins_and_bets/derivations.py", 'Step("2 * E((p[1] - r[1])**2)"', 'Step("4 * E((p[1] - r[1])**2)"', [DERIVATIONS.format('factor_two')]),
    ('line: false line made true in factor_two', f"{L}/bins_and_bets/derivations.py", 'Step("E((p[1] - r[1])**2)"', 'Step("2 * E((p[0] - r[0])**2)"', [DERIVATIONS.format('factor_two')]),
    ('line: conditioning in weaker_notion', f"{L}/notions/derivations.py", 'Step("E(E(p[k_star] - r[k_star], given=c)**2)"', 'Step("E(E(p[k_star] - r[k_star], given=p)**2)"', [DERIVATIONS.format('weaker_notion')]),
    ('line: prime in supremum', f"{L}/bets_and_kernels/derivations.py", 'Step("sqrt(E(k(p, p\') * (p - r) * (p\' - r\')))"', 'Step("sqrt(E(k(p, p\') * (p - r) * (p - r)))"', [DERIVATIONS.format('supremum')]),
    ('line: exchanged in one_forecast', f"{L}/start/derivations.py", 'Step("r * (p - 1)**2 + (1 - r) * p**2"', 'Step("(1 - r) * (p - 1)**2 + r * p**2"', [DERIVATIONS.format('one_forecast')]),
    ('line: conditioning in bins_forget', f"{L}/bins/derivations.py", 'Step("E(g**2) - E(Var(g, given=B))"', 'Step("E(g**2) - E(Var(g, given=c))"', [DERIVATIONS.format('bins_forget')]),
    ('line: factor in noise_adds', f"{L}/bins/derivations.py", '1/n_m**2 * sum(r[i] * (1 - r[i]) for i in rows)"', '1/n_m * sum(r[i] * (1 - r[i]) for i in rows)"', [DERIVATIONS.format('noise_adds')]),
    ('line: index in neighbour_limit', f"{L}/kernel_density/derivations.py", 'Step("1/n * sum((p[i] - r[j[i]])**2 + r[j[i]] * (1 - r[j[i]]) for i in rows)"', 'Step("1/n * sum((p[i] - r[j[i]])**2 + r[i] * (1 - r[i]) for i in rows)"', [DERIVATIONS.format('neighbour_limit')]),
    ('line: prime in minimiser', f"{L}/estimation_risk/derivations.py", 'Step("inner(p - r, p\' - r\')"', 'Step("inner(p - r, p\' - r)"', [DERIVATIONS.format('minimiser')]),
    ('line: index in unbiased', f"{L}/many_features/derivations.py", '1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i != j)', '1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i <= j)', [DERIVATIONS.format('unbiased')]),
    ('line: factor in kernel_ridge', f"{L}/kernel_ridge/derivations.py", '/ (mu[i]*mu[j] + lam) * outer', '/ (mu[i]*mu[j] + 2 * lam) * outer', [DERIVATIONS.format('kernel_ridge')]),
    ('line: factor in two_ridges', f"{L}/bins_and_bets/derivations.py", '(K @ B @ B.T @ K)[i, j]; B = inv(K) @ Delta', '(K @ B @ B.T)[i, j]; B = inv(K) @ Delta', [DERIVATIONS.format('two_ridges')]),
    ('line: transposed in linear_time', f"{L}/kernel_ridge/derivations.py", 'tr(M @ U.T @ U @ M @ U.T @ U)', 'tr(M @ U.T @ U @ M.T @ U @ U.T)', [DERIVATIONS.format('linear_time')]),
    ('line: conditioning in no_frequencies', f"{L}/bets_and_kernels/derivations.py", "inner(E(delta, given=p), E(delta', given=p'))", "inner(E(delta), E(delta'))", [DERIVATIONS.format('no_frequencies')]),
    ('line: power in band', f"{L}/map_and_repair/derivations.py", 'Step("sum(w[i]**2 * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)**2"', 'Step("sum(w[i] * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)**2"', [DERIVATIONS.format('band')]),
    ('line: sign in biased', f"{L}/kernel_tests/derivations.py", '1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * SKCE)', '1/n**2 * (n * E(h(Z, Z)) + n*(n + 1) * SKCE)', [DERIVATIONS.format('biased')]),
    ('line: power in only_calibrated', f"{L}/kernel_tests/derivations.py", 'Step("mu_min * sum(w[a]**2 * norm2(g[a]) for a in predictions)"', 'Step("mu_min * sum(w[a] * norm2(g[a]) for a in predictions)"', [DERIVATIONS.format('only_calibrated')]),
    ('line: prime in local_norm', f"{L}/for_whom/derivations.py", 'Step("E(k(p, p\') * l(x, x\') * (p - r) * (p\' - r\'))"', 'Step("E(k(p, p\') * l(x, x) * (p - r) * (p\' - r\'))"', [DERIVATIONS.format('local_norm')]),
    ('line: letter in inference_bias', f"{L}/for_whom/derivations.py", 'Step("E(I*p) / E(p) - E(I*Y) / E(Y)"', 'Step("E(I*p) / E(p) - E(I*Y) / E(p)"', [DERIVATIONS.format('inference_bias')]),
    ('line: power in eigenfunctions', f"{L}/bounds/derivations.py", '(W[m]**2 - 1/n * sum(u[m, z[i]]**2 for i in rows))', '(W[m]**2 - 1/n * sum(u[m, z[i]] for i in rows)**2)', [DERIVATIONS.format('eigenfunctions')]),
    ('line: index in centred_bootstrap', f"{L}/bounds/derivations.py", 'h[i, j] - h_bar[i] - h_bar[j] + SKCE_b', 'h[i, j] - h_bar[i] - h_bar[j] - SKCE_b', [DERIVATIONS.format('centred_bootstrap')]),
    ('line: sign in algorithm_one', f"{L}/many_features/derivations.py", 'Step("delta_bar**2 * mean(', 'Step("-delta_bar**2 * mean(', [DERIVATIONS.format('algorithm_one')]),
    ('line: power in printed_bound', f"{L}/many_features/derivations.py", 'Step("sqrt(alpha)"', 'Step("alpha**(1/4)"', [DERIVATIONS.format('printed_bound')]),
    ('line: sign in trace_formula', f"{L}/random_features/derivations.py", 'Step("tr(Phi.T @ W @ D.T @ D @ W @ Phi); D = Psi_Y - M_Z"', 'Step("tr(Phi.T @ W @ D.T @ D @ W @ Phi); D = Psi_Y + M_Z"', [DERIVATIONS.format('trace_formula')]),
    ('line: factor in kronecker_labels', f"{L}/conditional_error/derivations.py", 'Step("tr(W @ Delta @ Delta.T @ W @ K)"', 'Step("tr(W @ Delta @ Delta.T @ W)"', [DERIVATIONS.format('kronecker_labels')]),
    ('line: inverse in fourier_mean', f"{L}/random_features/derivations.py", 'Step("inner(p, q) + E(cos(xi * norm(u) / gamma))"', 'Step("inner(p, q) + E(cos(xi * norm(u) * gamma))"', [DERIVATIONS.format('fourier_mean')]),
    ('line: power in ckce_spectral', f"{L}/one_operator/derivations.py", 'Step("sum(norm2(s[j]) / (mu[j] + lam)**2 for j in directions)', 'Step("sum(norm2(s[j]) / (mu[j] + lam)**3 for j in directions)', [DERIVATIONS.format('ckce_spectral')]),
    ('line: inverse in one_family', f"{L}/spectrum_proofs/derivations.py", 'f(t) = t**(2*a + 1) @ (t + lam * I)**(-2*b)', 'f(t) = t**(2*a + 1) @ (t + lam * I)**(2*b)', [DERIVATIONS.format('one_family')]),
    ('line: power in copies', f"{L}/your_own_model/derivations.py", 'Step("c**2 * p * (1 - p)"', 'Step("c**3 * p * (1 - p)"', [DERIVATIONS.format('copies')]),
    ("exercise: its reference", f"{L}/notions/exercises.py", "powers = p ** (1 / temperature)", "powers = p**temperature", [EXERCISES, "tests/claims/test_notions.py"]),
    ("exercise: one right entry passes", "calibtutor/teach/exercise.py", "if all(agree) or any(", "if any(agree) or any(", ["tests/teach/test_exercise.py", EXERCISES]),
    ("text: a claim's number", f"{N}/01_notions.ipynb", "one (0, 6, 9) or two (8)", "one (0, 4, 9) or two (8)", [LAYER, "tests/claims/test_notions.py"]),
    ("text: an erratum's number", f"{N}/errata.md", "6,400 and 716 times", "6,400 and 761 times", ["tests/claims/test_errata.py"]),
    ("notebook: an old output", f"{N}/01_notions.ipynb", "random forest  0.817", "random forest  0.871", ["tests/teach/test_notebooks.py -k 01", LAYER, f"{N}/01_notions.ipynb"]),
    ("reproduction: a penalty whose kernel stands still", "calibtutor/reproductions/objectives.py", "features + delta * slope.transform(p)", "features", ["tests/reproductions/test_objectives.py"]),
    ("picture: chance at another level", f"{L}/bounds/full_size.py", "by_chance(n_sets, alpha)", "by_chance(n_sets)", ["tests/lessons/test_code_of_pictures.py"]),
    ("picture: a band in other units", f"{L}/what_moved/scenes.py", "relative[2] + spread[2] / top[2]", "relative[2] + spread[2]", ["tests/lessons/test_computations_of_conditional_error.py"]),
    ("derive: a line does not know its own letter", "calibtutor/teach/derive.py", "self.steps[: place + 1]", "self.steps[:place]", ["tests/teach/test_derive.py"]),
    ("reproduction: a stored number", "calibtutor/reproductions/shift.json", "0.09487951247", "0.1044", ["tests/reproductions/test_shift.py", "tests/claims/test_what_moved.py"]),
    ("explore: a dead slider", "calibtutor/teach/explore.py", 'each.observe(self._redraw, names="value")', 'each.observe(self._redraw, names="values")', ["tests/teach/test_explore.py"]),
    ("explore: the picture stays", "calibtutor/teach/explore.py", "            self.image.value = drawn\n", "", ["tests/teach/test_explore.py"]),
    ("explore: a still without what moves", "calibtutor/teach/explore.py", "artist.set_animated(False)", "artist.set_animated(True)", ["tests/teach/test_explore.py"]),
    ("book: the opening frame's index", "calibtutor/teach/book/frames.py", 'number * len(each["texts"]) + each["start"]', 'number + each["start"]', ["tests/teach/test_book_frames.py"]),
    ("hands: a table that is not the scene's", "calibtutor/lessons/start/reveal_reliability.js", "row[1] += c; row[2] += hit[k];", "row[1] += c; row[2] += 1 - hit[k];", ["tests/browser/test_hands.py -k reveal"]),
    ("hands: a mark beside its place", "calibtutor/lessons/start/coin.js", "dot.set([forecast, variance + error])", "dot.set([forecast, variance + error + 0.01])", ["tests/browser/test_hands.py -k coin"]),
    ("hands: an arrow key turned round", "calibtutor/teach/hands.js", "ArrowRight: [x ?? y, 1]", "ArrowRight: [x ?? y, -1]", ["tests/browser/test_hands.py -k keys"]),
    ("hands: halves rounded up", "calibtutor/teach/hands.js", "Math.floor(half) + (Math.floor(half) % 2)", "Math.floor(half) + 1", ["tests/browser/test_hands.py -k numbers"]),
    ("explore: a pull to the farthest value", "calibtutor/teach/explore.py", "if apart(place) < least:", "if apart(place) > least:", ["tests/teach/test_explore.py"]),
    ("book: a spot of the whole picture", "calibtutor/teach/book/frames.py", "(at[1] * height - HEAD) / (height - HEAD)", "at[1]", ["tests/teach/test_book_frames.py"]),
    ("book: a frame's index", "calibtutor/teach/book/frames.py", "files.append(known.get(picture, 0))", "files.append(max(known.get(picture, 0) - 1, 0))", ["tests/teach/test_book_frames.py"]),
    ("written: a factor before a 0 is not seen", "calibtutor/teach/write.py", "if differs_in_a_factor(line, known[k], letters.defined):", "if False:", ["tests/teach/test_write.py"]),
    ("written: a copy of the line above is a step", "calibtutor/teach/write.py", "if unchanged and any(", "if False and any(", ["tests/teach/test_write.py"]),
    ("written: a mean has no terms", "calibtutor/teach/fingerprint.py", 'return _random("E", given) * parts[0] % MODULUS', 'return _random("E", given, parts[0])', ["tests/teach/test_write.py"]),
    ("written: brackets lost in print", "calibtutor/teach/typeset.py", 'return latex if binds >= least else f"({latex})"', "return latex", ["tests/teach/test_expressions.py"]),
    ("written: arguments of a reader's function are the check's own", "calibtutor/teach/exercise.py", "np.copy(each) if isinstance(each, np.ndarray) else each for each in given", "each for each in given", ["tests/teach/test_exercise.py"]),
    ("book: frames of other code are kept", "calibtutor/teach/book/work.py", "json.dumps([code, needs, package()])", "json.dumps([needs, package()])", ["tests/teach/test_book_build.py -m ''"]),
    ("handout: solutions offered to students", "calibtutor/teach/assignment.py", 'OFFERED.sub("", _without_links(cell.source))', "_without_links(cell.source)", ["tests/teach/test_handout.py"]),
    ("handout: a solution left in the student's copy", "calibtutor/teach/assignment.py", 'KEPT.sub("", SOLUTION.sub("", cell.source))', 'KEPT.sub("", cell.source)', ["tests/teach/test_handout.py"]),
    ("handout: a hidden test content with one right entry", "calibtutor/teach/answers.py", "np.allclose(found, wanted, rtol", "np.any(np.abs(found - wanted) < 1e-9) or np.allclose(found, wanted, rtol", ["tests/teach/test_handout.py"]),
    ("handout: a hidden test of the reference", "calibtutor/teach/assignment.py", "for function in ({reference}, answer))", "for function in ({reference}, {reference}))", ["tests/teach/test_handout.py"]),
    ("README: a command that is none", "README.md", "python -m calibtutor audit --help", "python -m calibtutor audits --help", ["tests/test_packaging.py"]),
]
# fmt: on
for test, old, new in CLAIMS:
    file = f"tests/claims/test_{test.split('::')[0]}.py"
    FAULTS.append((f"claim {test}", file, old, new, [shlex.quote(f"tests/claims/test_{test.replace('::', '.py::')}") + " -m ''"]))


def plant(folder, file, old, new):
    """Write the fault; a place that is not there, or there twice, is an error."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{file}: expected once, found {text.count(old)} times: {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def caught_by(folder, tests):
    """The first test that fails, or None."""
    env = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    for test in tests:
        options = ["-q", "-x", "-p", "no:cacheprovider", *["--nbval"] * test.endswith(".ipynb")]
        command = [sys.executable, "-m", "pytest", *shlex.split(test), *options]
        try:
            ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{test}: no end after {SECONDS} s"
        if ran.returncode == 1:
            found = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, flags=re.M)
            return found[1] if found else test
        if ran.returncode:  # no such file, nothing collected: the table is out of date
            raise ValueError(f"{test}: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return None


def main(words):
    missed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
        trained = Path(".pytest_cache", "trained")  # tests/claims/splits.py: no model is trained twice
        for each in (ROOT / trained, (folder / trained).parent):
            each.mkdir(parents=True, exist_ok=True)
        (folder / trained).symlink_to(ROOT / trained)
        for name, file, old, new, tests in FAULTS:
            if words and not any(word in name for word in words):
                continue
            start = time.time()
            plant(folder, file, old, new)
            found = caught_by(folder, tests)
            subprocess.run(["git", "-C", folder, "checkout", "-q", "."], check=True)
            missed += found is None
            said = "MISSED by " + ", ".join(tests) if found is None else found
            print(f"{name:55} {said} ({time.time() - start:.0f} s)", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
