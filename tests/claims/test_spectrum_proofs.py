"""Claims of the lesson spectrum_proofs."""

import numpy as np
from claim import claim
from seeds import mean_within
from spectra import LR, NB, NN, RF, answers, anywhere, error, noise_shares, on_most, rows, spectrum


@claim("spectrum_proofs/exercises", "81 %: small eigenvalues are divided by little, and there data are few.",
       "Without the pairs of a row with itself, .033 is left.",
       "Of the forest's .533 noise makes 32 %, of its SKCE .4 %.")
def test_noise_shares():
    assert np.round(100 * noise_shares(RF, 0.001), 1).tolist() == [0.4, 1.5, 31.9]
    assert np.round(100 * noise_shares(NN, 0.001)).tolist() == [103, 73, 81]
    assert [round(error(model, 2, 0.001), 3) for model in (NN, RF)] == [0.173, 0.533]
    assert round(spectrum(NN).norm(0, 1, 0.001, unbiased=True), 3) == 0.033


@anywhere
@claim("further/04_spectrum",
       "With this $\\lambda$ the share of the noise grows from SKCE to CKCE, except for the network: its errors are "
       "mostly noise, all three.", "So it is on most other splits for naive Bayes, logistic regression and the forest.",
       "With $\\lambda = 1$ it does not grow.")
def test_noise_grows_along_the_dial(elsewhere, seeds):
    def holds(seed):
        small, large = ([noise_shares(model, level, seed) for model in (NB, LR, RF)] for level in (0.001, 1.0))
        return all((np.diff(each) > 0).all() for each in small) and all(each[1] < each[0] for each in large)

    assert min(noise_shares(NN, 0.001)) > 0.5
    assert on_most(holds, elsewhere, seeds)


def of_calibrated(model, draws, rng):
    """Energy and noise of the first six directions, both (draws, 6), with labels drawn from the confidences."""
    confidence, (phi, _) = answers(model)[1], rows(model)
    n = len(confidence)
    modes, found = (phi @ np.linalg.eigh(phi.T @ phi)[1])[:, :-7:-1], []
    for _ in range(draws // 100):
        delta = confidence - (rng.random((100, n)) < confidence)
        found.append([(delta @ modes / n) ** 2, delta**2 @ modes**2 / n**2])
    return np.concatenate(found, axis=1)


@claim("further/04_spectrum",
       "The marks of a calibrated model average the noise, and about one in three lies above it.")
def test_marks_of_a_calibrated_model(seeds):
    energy, own = of_calibrated(NN, 4_000, seeds.rng(4))
    assert mean_within((energy > own).mean(axis=1), 0.315, 0.335, refuses=(0.25, 0.4))
    assert all(mean_within(each, 0, refuses=(-0.15, 0.15)) for each in ((energy - own) / own.mean(axis=0)).T)
