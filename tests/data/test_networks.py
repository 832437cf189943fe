"""The networks' predictions and the next words: what was measured at their training comes back, and no text leaks."""

import numpy as np
import pytest
from refusals import refuses

from calibtutor import top_label
from calibtutor.data import networks as room


@pytest.mark.parametrize("data", room.DATA)
def test_predictions_are_those_of_the_training_s_own_report(data):
    for network, facts in room.network_facts(data).items():
        said = room.network_predictions(network, data=data)
        hit, confidence = top_label(said.y_true, said.y_prob)
        assert said.y_prob.shape == (10_000, int(data[6:])) and np.abs(said.y_prob.sum(axis=1) - 1).max() < 1e-12
        # The report is of float32 logits. What was kept of them was float16, which turned a tie or two.
        assert hit.mean() == pytest.approx(facts["test_accuracy"], abs=3e-4)
        assert confidence.mean() == pytest.approx(facts["test_confidence"], abs=2e-5)
        assert -np.log(said.y_prob[np.arange(10_000), said.y_true]).mean() == pytest.approx(facts["nll"], abs=3e-4)
        if network == "ResNet-110":
            confidences, hits, log_loss = room.network_training(data)
            assert hits.shape == confidences.shape == (facts["epochs"], 10_000) and np.array_equal(hits[-1], hit)
            # From the same logits before they were rounded: the top's probability stayed, to float16's last digit.
            assert (confidences[-1] == confidence.astype(np.float16)).mean() > 0.99 and len(log_loss) == len(hits)


@pytest.mark.parametrize("network", room.NETWORKS)
def test_each_split_is_there_and_light_changes_the_first_thousand(network):
    share = {}
    for split in room.SPLITS:
        y, logits = room.network_logits(network, split=split)
        assert len(y) == len(logits) == {"test": 10_000, "held out": 5000}.get(split, 1000)
        share[split] = (logits.argmax(axis=1) == y).mean()
    assert abs(share["held out"] - share["test"]) < 0.02
    assert max(share["light -50"], share["light +50"]) < share["light +0"] - 0.01
    shown = repr(room.network_predictions("Wide ResNet-32"))
    assert shown == "Predictions('Wide ResNet-32 on CIFAR-10, test', n=10000, accuracy=0.906, mean confidence=0.962)"


def test_the_rounding_is_within_its_bound():
    x = np.random.default_rng(0).exponential(5, 10_000)
    for kind, fine in (("logits", 8192 * np.exp(-x) + 98 / (2 + x)), ("words", 1028 / (0.02 + x))):
        kept = room.levels(kind)[np.round(room.steps_of(x, kind)).astype(int)]
        assert (np.abs(kept - x) * fine).max() == pytest.approx(1, abs=0.02)


def test_next_words_are_log_probabilities_of_one_model_and_nothing_else():
    kind, passage, position, log_prob, rank, entropy, top = words = room.next_words()
    share, total = np.exp(top, dtype=float), np.exp(top, dtype=float).sum(axis=1)
    assert np.array_equal(log_prob[rank == 3], top[rank == 3, 3]) and (log_prob <= top[:, 7])[rank > 7].all()
    # The eight's part of the entropy, and the rest on as few tokens, or as many, as there are.
    least, rest = -(share * top).sum(axis=1), np.clip(1 - total, 1e-12, None)
    assert (entropy > least - 0.01).all() and (entropy < least - rest * np.log(rest / 49_144) + 0.01).all()
    assert np.array_equal(passage // 24, kind) and np.array_equal(position, np.tile(np.arange(1, 256), 144))
    gaps = (share[:, 0] - (rank == 0)).reshape(6, -1).mean(axis=1)
    np.testing.assert_allclose(gaps, [0.047, 0.026, 0.014, 0.042, 0.021, 0.094], atol=6e-4)
    with np.load(room.FOLDER / "next_word.npz") as content:
        assert set(content.files) == set(words._fields)  # no token, no vocabulary


def test_what_is_missing_damaged_or_unknown_is_said(tmp_path, monkeypatch):
    for argument, value in (("data", "CIFAR"), ("split", "light 50"), ("network", "VGG")):
        with refuses(argument, found=value):
            room.network_logits(**{"network": "LeNet-5", argument: value})
    monkeypatch.setenv("CALIBTUTOR_DATA_DIR", str(tmp_path))
    copy = tmp_path / "networks_cifar10.npz"
    copy.write_bytes((room.FOLDER / copy.name).read_bytes())
    monkeypatch.setattr(room, "FOLDER", tmp_path / "nowhere")  # as where only the wheel is installed
    room.network_facts()
    with pytest.raises(FileNotFoundError, match="notebooks/case_studies/data.*clone.*CALIBTUTOR_DATA_DIR"):
        room.network_facts("CIFAR-100")
    copy.write_bytes(copy.read_bytes() + b" ")
    with refuses(str(copy), expected="SHA-256"):
        room.network_facts()
