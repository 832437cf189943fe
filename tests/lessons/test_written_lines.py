"""Likely answers to lines that a reader writes: right ones in any form, and wrong ones that have no name.

No two differ in order or spelling alone, and none is a named slip or unreadable (tests/teach/test_write.py).
"""

import pytest
from further import sessions_first

from calibtutor.lessons import discover
from calibtutor.teach.assignment import LESSON
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.write import judge

DERIVATIONS = {name: each for name, each in discover("derivations").items() if each.write is not None}
RIGHT = {
    "map_and_repair.band": [
        "sum(w[i]**2 * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)**2",
        "1/sum(w[i] for i in rows)**2 * sum(w[i]**2 * Var(delta[i]) for i in rows)",
        "sum(Var(w[i]*delta[i]) for i in rows) / sum(w[i] for i in rows)**2",
        "sum(w[i]**2 * p[i]*(1 - p[i]) for i in rows) / sum(w[i] for i in rows)**2",
        "sum(w[i]**2 * E(delta[i]**2) for i in rows) / sum(w[i] for i in rows)**2",
        "sum(Var(delta[i]) * w[i]**2 for i in rows) / (sum(w[i] for i in rows) * sum(w[i] for i in rows))",
        "sum(w[i]**2 * (p[i] - p[i]**2) for i in rows) / sum(w[i] for i in rows)**2",
    ],
    "start.one_forecast": [
        "r * (p - 1)**2 + (1 - r) * p**2", "r*(1 - p)**2 + (1 - r)*(0 - p)**2", "p**2 - 2*p*r + r",
        "r*(p-1)*(p-1) + p*p*(1-r)", "P(Y == 1)*(p - 1)**2 + P(Y == 0)*p**2", "p^2 - 2*p*E(Y) + E(Y^2)",
        "(p-r)^2 + r - r^2",
    ],
    "notions.murphy": [
        "E(norm2(p - r)) + E(norm2(r - e_Y))", "E(norm2(r - p) + norm2(e_Y - r))",
        "E(inner(p - r, p - r)) + E(inner(r - e_Y, r - e_Y))", "E(norm2(p - r)) + E(1 - norm2(r))",
        "E(norm(p-r)^2) + E(norm(r-e_Y)^2)", "E(norm2(p-r)) + E(norm2(e_Y)) - E(norm2(r))",
        "E(norm2(p - r)) - E(norm2(r - r_bar)) + 1 - norm2(r_bar)",
    ],
    "notions.weaker_notion": [
        "E(norm2(p - r))", "E(inner(p - r, p - r))", "E(norm(p - r)^2)", "E(sum((p[k] - r[k])**2 for k in classes))",
        "E((p[k_star] - r[k_star])**2)", "E(max((p[k] - r[k])**2 for k in classes))",
    ],
    "bins.noise_adds": [
        "(conf_m - r_bar)**2 + Var(acc_m)", "(conf_m - E(acc_m))**2 + Var(acc_m)",
        "E(conf_m - acc_m)**2 + Var(conf_m - acc_m)", "conf_m^2 - 2*conf_m*r_bar + E(acc_m^2)",
        "(conf_m - r_bar)^2 + E((acc_m - r_bar)^2)", "(conf_m - E(acc_m))^2 + E(acc_m^2) - E(acc_m)^2",
        "(conf_m - r_bar)**2 + 1/n_m**2 * sum(r[i]*(1 - r[i]) for i in rows)",
    ],
    "bins_and_bets.debiasing": [
        "E((conf - acc)**2) - r*(1 - r)/n_m", "E((acc - conf)^2) - (r - r^2)/n_m", "E((conf - acc)**2) - Var(acc)",
        "E(conf - acc)**2", "E((conf - acc)**2) - 1/n_m * r * (1 - r)", "(conf - r)**2",
        "E((conf-acc)^2) - E((acc - r)^2)",
    ],
    "kernel_density.neighbour_limit": [
        "E(1/n * sum((p[i] - y[j[i]])**2 for i in rows))", "1/n * E(sum((p[i] - y[j[i]])^2 for i in rows))",
        "E(mean((p[i] - y[j[i]])**2 for i in rows))", "E(sum((y[j[i]] - p[i])^2 for i in rows))/n",
        "1/n * sum((p[i] - r[j[i]])**2 + r[j[i]] * (1 - r[j[i]]) for i in rows)",
        "1/n * sum(p[i]^2 - 2*p[i]*r[j[i]] + r[j[i]] for i in rows)",
        "E(1/n * sum(p[i]**2 - 2*p[i]*y[j[i]] + y[j[i]] for i in rows))",
    ],
    "kernel_ridge.linear_time": [
        "1/(n*(n - 1)) * (norm2(z) - 2 * inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
        "1/(n*(n - 1)) * (norm2(z - h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
        "(norm2(h - z) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "(norm2(z) + norm2(h) - 2*tr(z.T @ h) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "(tr((z - h) @ (z - h).T) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n - 1))",
        "(norm2(z) - 2*inner(z,h) + norm2(h))/(n*(n-1)) - sum((z[i,i] - h[i,i])**2 for i in rows)/(n*(n-1))",
        "(sum((z[i,j] - h[i,j])**2 for i in rows for j in rows) - sum((z[i,i] - h[i,i])**2 for i in rows))/(n*(n - 1))",
        "(norm2(z - h) - sum(z[i,i]^2 - 2*z[i,i]*h[i,i] + h[i,i]^2 for i in rows))/(n*(n-1))",
        "(norm2(Delta @ Delta.T - U @ M @ U.T) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "(norm2(Delta.T @ Delta) - 2*inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
    ],
    "estimation_risk.excess_risk": [
        "E((z - h_star)**2) + 2*E((z - h_star)*(h_star - h(p, p'))) + E((h_star - h(p, p'))**2)",
        "E((z - h_star)^2 + 2*(z - h_star)*(h_star - h(p,p')) + (h_star - h(p,p'))^2)",
        "E((z - h_star)**2) - 2*E((z - h_star)*(h(p, p') - h_star)) + E((h(p, p') - h_star)**2)",
        "E((z - h_star)**2) + E((h_star - h(p, p'))**2)", "E(z**2) - 2*E(h_star*h(p, p')) + E(h(p, p')**2)",
        "E(z^2) - E(h_star^2) + E((h_star - h(p,p'))^2)",
        "E((z - h_star)**2) + 2*E((z - h_star)*h_star) - 2*E((z - h_star)*h(p, p')) + E((h_star - h(p, p'))**2)",
    ],
    "bets_and_kernels.no_frequencies": [
        "E(k(p, p') * inner(E(delta, given=p), E(delta', given=p')))",
        "E(k(p,p')*inner(E(p - e_Y, given=p), E(p' - e_Y', given=p')))",
        "E(k(p, p') * inner(delta, E(delta', given=p')))",
        "E(k(p', p) * inner(E(delta', given=p'), E(delta, given=p)))", "E(k(p, p') * inner(delta, delta'))",
        "E(k(p, p') * inner(r - p, E(e_Y' - p', given=p')))", "E(k(p, p') * inner(E(delta, given=p), p' - r'))",
    ],
    "kernel_tests.biased": [
        "1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z')))", "(n*E(h(Z,Z)) + (n^2 - n)*E(h(Z,Z')))/n^2",
        "1/n * E(h(Z, Z)) + (n - 1)/n * E(h(Z, Z'))", "E(h(Z, Z'))*(1 - 1/n) + E(h(Z, Z))/n",
        "1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * SKCE)", "SKCE + 1/n * (E(h(Z, Z)) - SKCE)",
        "SKCE + (E(h(Z,Z)) - SKCE)/n",
    ],
    "for_whom.local_norm": [
        "E(k(p, p') * l(x, x') * (r - p) * (r' - p'))", "E(k(p, p') * l(x, x') * (Y - p) * (Y' - p'))",
        "E(k(p, p') * l(x, x') * (r - p) * (Y' - p'))", "E(k(p, p')*l(x, x')*delta*delta')",
        "E(inner(outer(phi(p), psi(x)), outer(phi(p'), psi(x'))) * (r - p) * (r' - p'))",
    ],
    "for_whom.inference_bias": [
        "E(I*p)/E(p) - E(I*Y)/E(Y)", "E(I*p)/E(p) - E(I*Y)/P(Y == 1)", "E(I*p)/E(p) - E(I*r)/E(r)",
        "E(I*p)/E(p) - E(I*r)/E(Y)", "(E(I*p)*E(Y) - E(I*Y)*E(p))/(E(p)*E(Y))", "1/E(p)*E(I*p) - 1/E(Y)*E(I*Y)",
        "1/E(p) * (E(I*(p - Y)) - A*E(p - Y))",
    ],
    "what_moved.not_constant": [
        "norm2(inv(C + lam * I) @ C @ G)", "norm2(inv(C + lam*I) @ (C @ G))",
        "tr(G.T @ C @ inv(C + lam * I) @ inv(C + lam * I) @ C @ G)", "norm2(G - lam * inv(C + lam * I) @ G)",
        "norm2(C @ G - C @ inv(C + lam * I) @ C @ G) / lam**2",
    ],
    "conditional_error.kronecker_labels": [
        "tr(W @ Delta @ Delta.T @ W @ K)", "inner(W @ K @ W, Delta @ Delta.T)",
        "sum((W @ K @ W)[i, j] * (Delta @ Delta.T)[i, j] for i in rows for j in rows)",
        "sum((W @ K @ W)[i, j] * inner(Delta[i], Delta[j]) for i in rows for j in rows)",
        "inner(W @ Delta, K @ W @ Delta)",
    ],
    "spectrum_proofs.unbiased_spectral": [
        "1/(n*(n - 1)) * (n**2 * norm2(S) - sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows))",
        "(n^2*norm2(S) - sum(k(p[i], p[i])*norm2(delta[i]) for i in rows)) / (n*(n-1))",
        "n/(n - 1) * norm2(S) - 1/(n*(n - 1)) * sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows)",
        "n/(n-1)*(norm2(S) - 1/n^2*sum(K[i,i]*norm2(delta[i]) for i in rows))",
        "1/(n*(n - 1)) * (n**2 * SKCE_b - sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows))",
        "1/(n*(n-1))*(norm2(Phi.T @ Delta) - sum(K[i,i]*norm2(Delta[i]) for i in rows))",
        "1/(n*(n-1))*(tr(Delta.T @ K @ Delta) - tr(diag(diag(K)) @ Delta @ Delta.T))",
        "(n*norm2(S) - mean(k(p[i],p[i])*norm2(delta[i]) for i in rows))/(n - 1)",
    ],
    "chance.exact_pvalue": [
        "j/(B + 1)", "1/(B + 1) * j", "j*(B + 1)^(-1)", "(j - 1)/(B + 1) + 1/(B + 1)", "1 - (B + 1 - j)/(B + 1)",
        "1/(B + 1) * count(b < j for b in sets)", "mean(ind(b < j) for b in sets)",
    ],
    "your_own_model.copies": [
        "c**2 * p * (1 - p)", "c*c*p*(1-p)", "c**2 * (p - p**2)", "c**2 * Var(Y)", "c**2 * Var(p - Y)",
        "c^2 * E((p - Y)^2)", "c**2*p - c**2*p**2",
    ],
    "one_operator.ckce_spectral": [
        "sum(norm2(s[j]) / (mu[j] + lam)**2 for j in directions)",
        "sum((mu[j] + lam)**(-2) * norm2(s[j]) for j in directions)",
        "sum(norm2(s[j] / (mu[j] + lam)) for j in directions)", "sum((norm(s[j])/(mu[j] + lam))^2 for j in directions)",
        "sum(inner(s[j], s[j]) / (lam + mu[j])^2 for j in directions)",
        "sum(norm2(v[j].T @ S) / (mu[j] + lam)**2 for j in directions)",
        "sum(norm2(s[j])/(mu[j]^2 + 2*lam*mu[j] + lam^2) for j in directions)",
        "sum(norm2(s[j])*1/(mu[j]+lam)*1/(mu[j]+lam) for j in directions)",
    ],
}  # fmt: skip
WRONG = {
    "map_and_repair.band": [
        "sum(w[i] * Var(delta[i]) for i in rows) / sum(w[i] for i in rows)", "Var(miss)", "1/4",
        "sum(Var(delta[i]) for i in rows)", "sum(w[i]**2 * Var(delta[i]) for i in rows) / sum(w[i]**2 for i in rows)",
        "mean(p[i]*(1 - p[i]) for i in rows)", "sum(w[i]**2 * p[i] for i in rows) / sum(w[i] for i in rows)**2",
        "1/4 * sum(w[i]**2 for i in rows) / sum(w[i] for i in rows)**2",
        "sum(w[i]**2 * p[i]**2 * (1 - p[i])**2 for i in rows) / sum(w[i] for i in rows)**2",
    ],
    "start.one_forecast": [
        "r * (p - 1) + (1 - r) * p", "E((p - Y)**2)", "E(p - Y)**2", "p**2 - r", "Y*(p-1)^2 + (1-Y)*p^2",
        "r*(p-1)^2 + r*p^2",
    ],
    "notions.murphy": [
        "E(norm2(p - e_Y))", "E(norm(p - r)) + E(norm(r - e_Y))",
        "E(norm2(p - r)) + E(norm2(r - e_Y)) + E(norm2(p - e_Y))", "E(norm2(p)) + E(norm2(e_Y))",
        "E(p - r) + E(r - e_Y)", "norm2(p - r) + norm2(r - e_Y)", "E(norm2(p-r)) + norm2(r_bar)",
        "E(norm2(p - r)) - 2*E(inner(p - r, r - e_Y)) + E(norm2(r - e_Y))",
    ],
    "notions.weaker_notion": [
        "0", "norm2(E(p - r))", "E((c - P(Y == k_star, given=c))**2)", "E(E(p[k_star] - r[k_star], given=c))**2",
        "E(p - r)", "norm2(p - r)", "E(E(p[k_star] - r[k_star], given=c)^2) / 2",
    ],
    "bins.noise_adds": [
        "(conf_m - acc_m)**2", "E(conf_m - acc_m)**2", "Var(acc_m)", "(conf_m - r_bar)**2 + Var(acc_m)**2",
        "conf_m**2 - r_bar**2", "E((conf_m - acc_m)**2)",
        "(conf_m - r_bar)**2 + sum(r[i]*(1 - r[i]) for i in rows)/n_m",
    ],
    "bins_and_bets.debiasing": [
        "E((conf - acc)**2) + r*(1 - r)/n_m", "(conf - acc)**2 - r*(1 - r)/n_m",
        "E((conf - acc)**2) - E(acc)*(1 - E(acc))", "E((conf - acc)**2) - E(acc*(1 - acc)/(n_m - 1))",
        "E((conf - acc)**2) - acc*(1-acc)/n_m", "conf - r", "E(conf^2 - acc^2)",
    ],
    "kernel_density.neighbour_limit": [
        "1/n * sum((p[i] - r[i])**2 for i in rows)", "E(sum((p[i] - y[j[i]])**2 for i in rows))",
        "1/n * sum((p[i] - y[j[i]])**2 for i in rows)", "E(1/n * sum((p[i] - p[j[i]])**2 for i in rows))",
        "E(1/n * sum((p[i] - j[i])**2 for i in rows))", "0", "E(1/(n - 1) * sum((p[i] - y[j[i]])**2 for i in rows))",
    ],
    "kernel_ridge.linear_time": [
        "(norm2(z) - inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "1/(n*(n-1)) * (norm2(z) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
        "1/n**2 * (norm2(z - h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
        "1/(n*(n-1)) * (norm2(z - h) - tr(z - h)**2)", "1/(n*(n-1)) * (norm2(z - h) - tr((z - h)**2))",
        "norm2(z - h) - sum((z[i, i] - h[i, i])**2 for i in rows)",
        "1/(n*(n - 1)) * sum((z[i, j] - h[i, j])**2 for i in rows for j in rows if i != j)",
        "1/(n*(n - 1)) * (norm(z - h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
        "(norm2(z) - 2*norm(z)*norm(h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))/(n*(n-1))",
        "1/(n*(n-1)) * (norm2(z) - 2*inner(z, h) + norm2(h))",
    ],
    "estimation_risk.excess_risk": [
        "E((h_star - h(p, p'))**2)", "E((z - h(p, p'))**2)", "E((z - h_star)**2)", "E(z**2) + E(h(p, p')**2)",
        "E(z - h(p, p'))**2", "E((z - h_star)**2) + E((h_star - h(p, p))**2)",
        "E((z - h_star)**2) + E(h_star - h(p, p'))**2", "E((z - h_star)^2) + 2*E((h_star - h(p,p'))^2)",
        "E((z - h_star)^2) + E((z-h_star)*(h_star-h(p,p'))) + E((h_star-h(p,p'))^2)",
    ],
    "bets_and_kernels.no_frequencies": [
        "E(k(p, p') * inner(delta, delta))", "E(inner(delta, delta'))", "E(k(p, p') * inner(E(delta), E(delta')))",
        "E(k(p, p') * inner(r - p, r' - p'))", "E(k(p, p') * inner(p - r, p - r))", "k(p, p') * inner(delta, delta')",
        "E(k(p, p') * inner(E(e_Y, given=p), E(e_Y', given=p')))",
    ],
    "kernel_tests.biased": [
        "E(h(Z, Z))", "1/n * E(h(Z, Z)) + E(h(Z, Z'))", "n * E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z'))",
        "1/(n*(n-1)) * (n*E(h(Z,Z)) + n*(n-1)*E(h(Z,Z')))",
        "E(1/n**2 * sum(h_data[i, j] for i in rows for j in rows if i != j))", "1/n^2*(n*h(Z,Z) + n*(n-1)*h(Z,Z'))",
        "E(h(Z, Z)) + E(h(Z, Z'))", "1/n * (E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z')))",
    ],
    "for_whom.local_norm": [
        "E(k(p, p') * (r - p) * (r' - p'))", "E(k(p, p') * l(x, x') * (r - p)**2)", "E(k(p, p) * l(x, x) * (r - p)**2)",
        "E(k(p, p')) * E(l(x, x'))", "E(k(p, p') * l(x, x') * (r_p - p) * (r_p' - p'))",
        "E(k(p, p') * l(x, x') * (r - p))**2", "E(k(p, p')*l(x, x'))", "E((r - p)*(r' - p'))",
        "k(p, p')*l(x, x')*(r - p)*(r' - p')", "E(k(p, p') + l(x, x') * (r - p) * (r' - p'))",
        "E(k(p, p') * l(p, p') * (r - p) * (r' - p'))", "E(k(p, x) * (r - p) * (r' - p'))",
    ],
    "for_whom.inference_bias": [
        "E(I*p) - E(I*Y)", "E(I*(p - Y))/E(p)", "E(I*p)/E(p) - A", "E(I)*E(p)/E(p) - A",
        "E(I*p)/E(p) - E(I*Y, given=Y == 1)/E(Y)",
    ],
    "what_moved.not_constant": [
        "norm2(C @ G)", "inv(C + lam * I) @ C @ G", "norm2(inv(C) @ C @ G)", "norm2(inv(C + lam * I) @ S)",
        "norm(inv(C + lam * I) @ C @ G)", "norm2(inv(C - lam * I) @ C @ G)", "norm2(inv(C + lam * I) @ C @ C @ G)",
        "norm2(inv(C + 2*lam * I) @ C @ G)", "tr(G.T @ C @ inv(C + lam * I) @ C @ G)", "norm2(C @ G) / lam",
    ],
    "conditional_error.kronecker_labels": [
        "norm2(W @ Delta)", "W @ Delta @ Delta.T @ W @ K", "1/n * tr(W @ Delta @ Delta.T @ W @ K)",
        "tr(K @ Delta @ Delta.T)", "tr(W @ K)", "norm2(K @ W @ Delta)",
        "sum((W@K@W)[i,j]*((y[i]==y[j]) - p[j][y[i]] + inner(p[j],p[i]) - p[i][y[j]]) for i in rows for j in rows)",
    ],
    "spectrum_proofs.unbiased_spectral": [
        "1/(n*(n - 1)) * n**2 * norm2(S)",
        "1/n**2 * (n**2*norm2(S) - sum(k(p[i], p[i])*norm2(delta[i]) for i in rows))",
        "1/(n*(n - 1)) * (n**2*norm2(S) - sum(norm2(delta[i]) for i in rows))",
        "mean(k(p[i], p[j]) * inner(delta[i], delta[j]) for i in rows for j in rows if i != j)",
        "mean(k(p[i], p[j]) * inner(delta[i], delta[j]) for i in rows for j in rows)",
        "n**2*norm2(S) - sum(k(p[i],p[i])*norm2(delta[i]) for i in rows)",
        "1/(n*(n-1))*(n**2*norm(S) - sum(k(p[i],p[i])*norm2(delta[i]) for i in rows))", "SKCE_b - 1/n",
        "1/(n*(n-1))*(n^2*norm2(S) + sum(k(p[i],p[i])*norm2(delta[i]) for i in rows))",
    ],
    "chance.exact_pvalue": [
        "B/(B + 1)", "j/B", "1", "j", "0", "P(N[0] <= j)", "1/(B + 1) * E(count(N[b] < j for b in sets))",
        "j/(B + 1) + 1/(B + 1)",
    ],
    "your_own_model.copies": [
        "p * (1 - p)", "c**2 * (1 - p)", "c * Var(p - Y)", "c**2", "c * p", "c**3 * p * (1 - p)",
        "c**2 * p**2 * (1 - p)**2", "c**2 * p * (1 - p)**2", "0", "sqrt(c) * p * (1 - p)",
    ],
    "one_operator.ckce_spectral": [
        "inner(S, inv(C + lam*I) @ S)", "norm2(S)", "norm2(inv(C + lam*I) @ S)",
        "sum(norm(s[j]) / (mu[j] + lam) for j in directions)", "norm2(s[j]) / (mu[j] + lam)**2",
        "sum(norm2(s[j]) * (mu[j] + lam)**2 for j in directions)", "sum(1 / (mu[j] + lam)**2 for j in directions)",
        "mean(norm2(s[j]) / (mu[j] + lam)**2 for j in directions)",
    ],
}  # fmt: skip


def test_ten_lines_at_least_are_the_readers():
    assert len(DERIVATIONS) >= 10 and {*DERIVATIONS} == {*RIGHT} == {*WRONG}
    lessons = {name.split(".")[0] for name in DERIVATIONS}
    sessions = {LESSON.search(path.read_text(encoding="utf-8"))[1] for path in NOTEBOOKS.glob("*.ipynb")}
    assert sessions <= lessons, sessions - lessons
    assert all(len(RIGHT[name]) >= 5 and len(WRONG[name]) >= 5 for name in RIGHT)


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_right_answers_are_taken_in_any_form(name):
    judged = {text: judge(DERIVATIONS[name], text) for text in RIGHT[name]}
    assert {text: (each.kind, each.words) for text, each in judged.items() if not each.good} == {}
    assert [each.kind for each in judged.values()].count("step") >= 1


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_wrong_and_pointless_answers_are_not(name):
    judged = {text: judge(DERIVATIONS[name], text) for text in WRONG[name]}
    assert {text: (each.kind, each.words) for text, each in judged.items() if each.good} == {}


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_the_line_is_in_no_choice_and_every_named_slip_is_false(name):
    derivation = DERIVATIONS[name]
    asked = {derivation.order()[k] for choice in derivation.choices() for k in choice}
    assert derivation.write not in asked and derivation.write > 0
    named = [text for text, _ in derivation.slips] + [step.text for step in derivation.steps if step.printed]
    assert len(named) >= 2
    assert [text for text, _ in derivation.slips if judge(derivation, text).kind != "slip"] == []
    assert judge(derivation, derivation.steps[derivation.write].text.split(";")[0].split(" = ")[-1]).kind == "step"
