"""Likely answers to lines that a reader writes: right ones in another form, and wrong ones that have no name."""

import re

import pytest
from further import sessions_first

from calibtutor.lessons import discover
from calibtutor.teach.assignment import LESSON
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.write import judge

DERIVATIONS = {name: each for name, each in discover("derivations").items() if each.write is not None}
RIGHT = {
    "map_and_repair.band": "1/sum(w[i] for i in rows)**2 * sum(w[i]**2 * Var(delta[i]) for i in rows)",
    "start.one_forecast": "r*(1 - p)**2 + (1 - r)*(0 - p)**2", "notions.murphy": "E(norm2(r - p) + norm2(e_Y - r))",
    "notions.weaker_notion": "E(inner(p - r, p - r))", "bins.noise_adds": "(conf_m - E(acc_m))**2 + Var(acc_m)",
    "bins_and_bets.debiasing": "E((acc_m - conf_m)^2) - (r - r^2)/n_m",
    "bins_and_bets.truthful":
        "1/n^2*(sum(K[i, j]*(p[i]-r[i])*(p[j]-r[j]) for i in rows for j in rows) + sum(r[i]-r[i]^2 for i in rows))",
    "kernel_density.neighbour_limit": "1/n * E(sum((p[i] - y[j[i]])^2 for i in rows))",
    "kernel_ridge.linear_time": "1/(n*(n - 1)) * (norm2(z - h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
    "estimation_risk.excess_risk": "E((z - h_star)^2 + 2*(z - h_star)*(h_star - h(p,p')) + (h_star - h(p,p'))^2)",
    "bets_and_kernels.no_frequencies": "E(k(p,p')*inner(E(p - e_Y, given=p), E(p' - e_Y', given=p')))",
    "kernel_tests.biased": "(n*E(h(Z,Z)) + (n^2 - n)*E(h(Z,Z')))/n^2",
    "kernel_tests.only_calibrated": "mu_min * sum(norm2(w[a] * g[a]) for a in predictions)",
    "for_whom.local_norm": "E(k(p, p') * l(x, x') * (Y - p) * (Y' - p'))",
    "for_whom.inference_bias": "E(I*p)/E(p) - E(I*Y)/P(Y == 1)",
    "what_moved.not_constant": "norm2(inv(C + lam*I) @ (C @ G))",
    "conditional_error.kronecker_labels": "inner(W @ K @ W, Delta @ Delta.T)",
    "spectrum_proofs.unbiased_spectral":
        "(n^2*norm2(S) - sum(k(p[i], p[i])*norm2(delta[i]) for i in rows)) / (n*(n-1))",
    "chance.exact_pvalue": "1/(B + 1) * j",
    "your_own_model.copies": "c*c*p*(1-p)",
    "next_word.two_tokens": "(c - r)*d - r*(s - d)",
    "one_operator.ckce_spectral": "sum((mu[j] + lam)**(-2) * norm2(s[j]) for j in directions)",
}  # fmt: skip
WRONG = {
    "map_and_repair.band": ["sum(w[i] * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)", "Var(miss)"],
    "start.one_forecast": ["r * (p - 1) + (1 - r) * p", "E((p - Y)**2)", "p**2 - r"],
    "notions.murphy": ["E(norm2(p - e_Y))", "E(norm(p - r)) + E(norm(r - e_Y))", "E(norm2(p)) + E(norm2(e_Y))"],
    "notions.weaker_notion": ["norm2(E(p - r))", "E(E(p[k_star] - r[k_star], given=c))**2"],
    "bins.noise_adds": ["(conf_m - acc_m)**2", "E(conf_m - acc_m)**2", "(conf_m - r_bar)**2 + Var(acc_m)**2"],
    "bins_and_bets.debiasing": [
        "E((conf_m - acc_m)**2) + r*(1 - r)/n_m", "E((conf_m - acc_m)**2) - E(acc_m*(1 - acc_m)/(n_m - 1))",
    ],
    "bins_and_bets.truthful": [
        "1/n**2 * sum(K[i, j]*(p[i] - r[i])*(p[j] - r[j]) for i in rows for j in rows)",
        "1/n**2 * sum(K[i, j]*(p[i] - y[i])*(p[j] - y[j]) for i in rows for j in rows if i != j)",
    ],
    "kernel_density.neighbour_limit": [
        "1/n * sum((p[i] - r[i])**2 for i in rows)", "1/n * sum((p[i] - y[j[i]])**2 for i in rows)",
    ],
    "kernel_ridge.linear_time": [
        "(norm2(z) - inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "1/(n*(n-1)) * (norm2(z - h) - tr(z - h)**2)",
    ],
    "estimation_risk.excess_risk": ["E((h_star - h(p, p'))**2)", "E((z - h(p, p'))**2)"],
    "bets_and_kernels.no_frequencies": ["E(k(p, p') * inner(delta, delta))", "E(k(p, p') * inner(r - p, r' - p'))"],
    "kernel_tests.biased": ["1/n * E(h(Z, Z)) + E(h(Z, Z'))", "1/(n*(n-1)) * (n*E(h(Z,Z)) + n*(n-1)*E(h(Z,Z')))"],
    "kernel_tests.only_calibrated": [
        "mu_min * sum(w[a]**2 * norm(g[a]) for a in predictions)", "mu_min * sum(w[a]**2 for a in predictions)", "SKCE",
    ],
    "for_whom.local_norm": ["E(k(p, p') * (r - p) * (r' - p'))", "E(k(p, p') * l(x, x') * (r - p)**2)"],
    "for_whom.inference_bias": ["E(I*p) - E(I*Y)", "E(I*(p - Y))/E(p)"],
    "what_moved.not_constant": ["inv(C + lam * I) @ C @ G", "norm2(inv(C) @ C @ G)", "norm2(inv(C + lam * I) @ S)"],
    "conditional_error.kronecker_labels": ["norm2(W @ Delta)", "1/n * tr(W @ Delta @ Delta.T @ W @ K)"],
    "spectrum_proofs.unbiased_spectral": [
        "1/n**2 * (n**2*norm2(S) - sum(k(p[i], p[i])*norm2(delta[i]) for i in rows))",
        "1/(n*(n - 1)) * (n**2*norm2(S) - sum(norm2(delta[i]) for i in rows))",
    ],
    "chance.exact_pvalue": ["B/(B + 1)", "j/B"],
    "your_own_model.copies": ["p * (1 - p)", "c * Var(p - Y)"],
    "next_word.two_tokens": ["c - r + r*(d - s)", "c*d*(1 - r*s)", "(c - r)*(d + s)/2"],
    "one_operator.ckce_spectral": ["norm2(inv(C + lam*I) @ S)", "sum(norm(s[j]) / (mu[j] + lam) for j in directions)"],
}  # fmt: skip


def test_each_session_has_a_line_that_is_the_readers():
    assert {*DERIVATIONS} == {*RIGHT} == {*WRONG}
    lessons = {name.split(".")[0] for name in DERIVATIONS}
    sessions = {LESSON.search(path.read_text(encoding="utf-8"))[1] for path in NOTEBOOKS.glob("*.ipynb")}
    assert sessions <= lessons, sessions - lessons


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_a_right_answer_is_taken_in_another_form_and_wrong_ones_are_not(name):
    judged = {text: judge(DERIVATIONS[name], text) for text in [RIGHT[name], *WRONG[name]]}
    assert [text for text, each in judged.items() if each.good] == [RIGHT[name]]


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_the_line_is_in_no_choice_and_every_named_slip_is_false(name):
    derivation = DERIVATIONS[name]
    asked = {derivation.order()[k] for choice in derivation.choices() for k in choice}
    assert derivation.write not in asked and derivation.write > 0
    named = [text for text, _ in derivation.slips] + [step.text for step in derivation.steps if step.printed]
    assert len(named) >= 2
    judged = {text: judge(derivation, text) for text in named}
    assert [text for text, _ in derivation.slips if judged[text].kind != "slip"] == []
    assert judge(derivation, derivation.steps[derivation.write].text.split(";")[0].split(" = ")[-1]).kind == "step"
    for text in (text for text, each in judged.items() if each.kind == "slip"):
        words = judged[text].words.split(" In world ")[0]
        assert re.fullmatch(r"[A-Z]\w* [^.].*[^.?:][.?]", words), words
        if words.startswith("This is"):  # a noun or an adjective, from what is printed: no clause, and so no slip
            assert text not in dict(derivation.slips) and re.match("This is (an? |what |true |Gruber & Bach)", words)


@pytest.mark.parametrize(("name", "text", "kind"), [
    ("start.one_forecast", "E(p^2 - 2*p*Y + Y^2)", "way"), ("start.one_forecast", "E(p^2)-2*p*E(Y)+E(Y^2)", "ahead"),
    ("start.one_forecast", "p^2 - 2*p*r + r", "ahead"), ("start.one_forecast", "(p - r)^2 + Var(Y)", "ahead"),
    ("start.one_forecast", "P(Y == 1)*(p - 1)^2 + P(Y == 0)*p^2", "step"), ("chance.exact_pvalue", "≤ alpha", "step"),
    ("bets_and_kernels.no_frequencies", "E(k(p,p')*inner(p - e_Y, p' - e_Y'))", "ahead"),
    ("bets_and_kernels.no_frequencies", "E(k(p,p')*inner(p - E(e_Y, given=p), p' - E(e_Y', given=p')))", "step"),
    ("kernel_tests.biased", ">= SKCE", "ahead"), ("kernel_tests.biased", "SKCE", "slip"),
])  # fmt: skip
def test_a_true_step_is_taken_and_placed(name, text, kind):
    assert judge(DERIVATIONS[name], text).kind == kind


def test_a_strict_sign_is_named():
    assert judge(DERIVATIONS["chance.exact_pvalue"], "< j/(B + 1)").words.startswith("Write <=")
